import type { RecordedEvent } from '#libs/event-log';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Caller, UserInfo } from '#libs/kube-api';
import type { Review } from './reviews';

/** Who asked for a write, as its webhooks were told; undefined where it asked none. */
export function callerIn(reviews: readonly Review[]): Caller | undefined {
  const asked = reviews.find(({ question }) => question.type === 'WebhookAsked')?.question;
  if (!asked) return undefined;
  const { kind: _kind, apiVersion: _version, ...options } = (asked.data.options ?? {}) as JsonObject;
  const { userInfo, operation, name } = asked.data;
  // The deletion of a collection names nobody.
  const isOfCollection = operation === 'DELETE' && name === undefined;
  return { user: userInfo as unknown as UserInfo, options, ...(isOfCollection ? { isOfCollection } : {}) };
}

/** Who asked for a write of which webhooks were told nothing: his name alone is known, and not how he asked. */
export function knownCaller(actor: string): Caller | undefined {
  return actor.startsWith('user:') ? { user: { username: actor.slice('user:'.length) }, isPartlyKnown: true } : undefined;
}

/** Questions of one write that are looked at, the last ones. */
const triesMax = 64;

/**
 * What webhooks were asked about in the first round, the last question first: one of them is what was asked for before the first webhook changed
 * it, in the try that was written.
 * @param apiVersion of the request, of a custom kind that a webhook converts: what either kind of webhook was asked about in that version; one of
 * them is what was asked for, or what was made of it before it was stored
 */
export function objectsAsked(reviews: readonly Review[], apiVersion?: string): KubeObject[] {
  const asked: KubeObject[] = [];
  for (const { question } of reviews.toReversed()) {
    const isLookedAt = isFirstOfRound(question) || (apiVersion !== undefined && question.type === 'ConversionAsked');
    const object = isLookedAt ? (question.data.object as JsonObject | undefined) : undefined;
    if (!object) continue;
    const { kind: _kind, apiVersion: given, ...bare } = object;
    if (apiVersion === undefined || given === apiVersion) asked.push(bare as unknown as KubeObject);
    if (asked.length === triesMax) break;
  }
  return asked;
}

function isFirstOfRound({ type, data }: RecordedEvent): boolean {
  return type === 'WebhookAsked' && data.type === 'mutating' && data.round === undefined;
}
