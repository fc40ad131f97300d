import { AppendTooLargeError, type WaitSignal } from '#libs/event-log';
import type { Fact } from '#libs/events';
import { derivedUid } from '#libs/kernel';
import {
  conversionAnswered,
  webhookAnswered,
  type Converted,
  type NeededReview,
  type OutsideCall,
  type ReviewAnswer,
  type WebhookOutcome,
} from '#libs/kube-api';
import type { Origin } from './origin';
import type { ClusterRuntime } from './runtime';

/**
 * Calls somebody outside of the cluster and reads the answer. Ends by itself, within the time that the call is given, and never rejects.
 * @param uid what the answer has to repeat
 */
export type CallOut = (call: OutsideCall, uid: string, signal?: WaitSignal) => Promise<Outcome>;

/** Of an admission webhook, or of a conversion webhook. */
export type Outcome = WebhookOutcome | Converted;

/** The actor of the records of what webhooks have answered. */
const actor = 'webhook';

/** A process that calls nobody: a simulation, whose time is not that of the world. */
const callsNobody: CallOut = () => Promise.resolve({ error: 'failed to call webhook: nothing is called from here' });

/**
 * Asks somebody outside: the question is in the log before he is called, and his answer before it is used. One that comes when nobody waits for
 * it any more is recorded all the same.
 */
export async function askOutside(
  runtime: ClusterRuntime,
  review: NeededReview & { readonly call: OutsideCall },
  asker: Origin,
  label: string,
): Promise<ReviewAnswer> {
  const { call, stream, request } = review;
  const { id } = await runtime.appendDecision(stream, [request], asker, label);
  const outcome = await (runtime.options.callOut ?? callsNobody)(call, derivedUid(id), asker.signal);
  const { correlationId } = asker;
  const origin: Origin = { actor, operation: `${actor}/${id}`, correlationId, causationId: id };
  const answer = answered(id, review, outcome);
  try {
    await runtime.appendDecision(stream, [answer], origin, '0');
    return answer as ReviewAnswer;
  } catch (error) {
    if (!(error instanceof AppendTooLargeError)) throw error;
    const tooLarge = answered(id, review, { error: `received invalid webhook response: ${error.message}` });
    await runtime.appendDecision(stream, [tooLarge], origin, '1');
    return tooLarge as ReviewAnswer;
  }
}

function answered(id: string, review: NeededReview, outcome: Outcome): Fact {
  const isConversion = review.call !== undefined && 'desiredAPIVersion' in review.call;
  return isConversion ? conversionAnswered(id, review, outcome as Converted) : webhookAnswered(id, review, outcome as WebhookOutcome);
}
