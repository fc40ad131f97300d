import { fact, jsonDigest, type Fact } from '#libs/events';
import type { Json, JsonObject } from '#libs/kernel';
import { badRequest, type Failure } from '../../status';
import type { ConversionCall } from '../../conversion/conversion-review';
import type { Attributes } from '../attributes';
import { asked, type NeededReview, type ReviewAnswer, type ReviewPhase } from '../review';
import { admissionRequest } from '../review-request';
import type { ClientConfig } from './configured';
import type { Invocation } from './invocation';

/** A call that has to be made outside of the log; who makes it records what came of it. */
export type OutsideCall = WebhookCall | ConversionCall;

/** The call of an admission webhook. */
export interface WebhookCall {
  /** Whom refusals name. */
  readonly webhook: string;
  readonly clientConfig: ClientConfig;
  readonly timeoutSeconds: number;
  readonly isMutating: boolean;
  /** `admission.k8s.io/v1` */
  readonly apiVersion: string;
  /** The body, `AdmissionReview`. @param uid what the answer has to repeat */
  body(uid: string): JsonObject;
}

const defaultTimeoutSeconds = 10;

/** The question to a webhook, or why it cannot be asked. */
export function webhookReview(
  phase: ReviewPhase,
  invocation: Invocation,
  request: Attributes,
  round: number,
): NeededReview | { readonly unaskable: string } | Failure {
  const { hook } = invocation;
  if (request.admission.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun')
    return badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
  const version = hook.admissionReviewVersions?.find((candidate) => candidate === 'v1' || candidate === 'v1beta1');
  if (version === undefined)
    return {
      unaskable: 'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    };
  const apiVersion = `admission.k8s.io/${version}`;
  const about = admissionRequest(request, invocation.matched);
  const object = request.objectIn(invocation.matched);
  const oldObject = request.oldIn(invocation.matched);
  const { options, dryRun, ...rest } = about;
  const isMutating = phase === 'mutate';
  return {
    phase,
    reviewer: `admission webhook ${JSON.stringify(hook.name)}`,
    stream: 'admission-reviews',
    ...asked(question(invocation, isMutating, round, about, object, oldObject)),
    isAnswer: isWebhookAnswer,
    call: {
      webhook: hook.name,
      clientConfig: hook.clientConfig,
      timeoutSeconds: hook.timeoutSeconds ?? defaultTimeoutSeconds,
      isMutating,
      apiVersion,
      body: (uid) => ({
        kind: 'AdmissionReview',
        apiVersion,
        request: { uid, ...rest, object, oldObject, dryRun: dryRun as boolean, options: options as JsonObject | null },
      }),
    },
  };
}

/**
 * What is recorded of a question. What the webhook is told of the object is there whole where it may be changed: the write can then be made
 * again from what was asked first. Elsewhere a digest binds the answer to it.
 */
function question(
  { hook, configuration }: Invocation,
  isMutating: boolean,
  round: number,
  { kind, resource, subResource, name, namespace, operation, userInfo, dryRun, options }: JsonObject,
  object: JsonObject | null,
  oldObject: JsonObject | null,
): Fact {
  const { url, service } = hook.clientConfig;
  const lasting = object && withoutTimes(object);
  return fact('WebhookAsked', {
    webhook: hook.name,
    configuration,
    ...(url === undefined ? {} : { url }),
    ...(service === undefined ? {} : { service: { ...service } }),
    type: isMutating ? 'mutating' : 'validating',
    ...(round > 0 ? { round } : {}),
    operation: operation as string,
    kind: kind as JsonObject,
    resource: resource as JsonObject,
    ...(subResource === undefined ? {} : { subResource: subResource as string }),
    ...(namespace === undefined ? {} : { namespace: namespace as string }),
    ...(name === undefined ? {} : { name: name as string }),
    ...(dryRun ? { dryRun: true } : {}),
    userInfo: userInfo as JsonObject,
    ...(options ? { options: options as JsonObject } : {}),
    about: jsonDigest({ object: lasting, oldObject: oldObject && withoutTimes(oldObject) } as object),
    ...(isMutating && lasting ? { object: lasting } : {}),
  });
}

/** Without what a later try of the same write has otherwise: when it began, and since when somebody owns what. */
export function withoutTimes(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return object;
  const { managedFields: _owners, creationTimestamp: _created, ...lasting } = metadata;
  return { ...object, metadata: lasting as JsonObject };
}

/** What a webhook has answered, read and checked, or why it has not. */
export type WebhookOutcome =
  | {
      readonly allowed: boolean;
      /** JSON patch, as text. */
      readonly patch?: string;
      readonly patchType?: string;
      /** `metav1 Status`, where it has one. */
      readonly status?: JsonObject;
      readonly warnings?: readonly string[];
      readonly auditAnnotations?: Readonly<Record<string, string>>;
    }
  | { readonly error: string };

export function isWebhookAnswer({ type }: ReviewAnswer): boolean {
  return type === 'WebhookAnswered';
}

export function outcomeIn({ data }: ReviewAnswer): WebhookOutcome {
  return data['outcome'] as unknown as WebhookOutcome;
}

/** The record of what a webhook has answered to a question. */
export function webhookAnswered(review: string, { question: asked, call }: NeededReview, outcome: WebhookOutcome): Fact {
  return fact('WebhookAnswered', {
    review,
    question: asked,
    webhook: (call as WebhookCall).webhook,
    outcome: outcome as unknown as Json as JsonObject,
  });
}
