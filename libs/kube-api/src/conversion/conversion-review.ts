import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { readReply, type CallReply, type ClientConfig, type ReplyKind } from '../admission/webhooks';
import { apiVersionOf } from '../kinds/names';
import { Definitions, releaseDefinitions, type GroupVersionKind } from '../schema';
import { goQuote } from '../status';
import { metadataOf, restoredMetadata } from './metadata';

/** An object that a conversion webhook is asked to show in another version of its kind: one at a time, as the API server reads and writes them. */
export interface ConversionCall {
  readonly clientConfig: ClientConfig;
  /** `conversionReviewVersions` of the definition; the first one that is known is used. */
  readonly reviewVersions: readonly string[];
  /** What the object is, which refusals name. */
  readonly from: GroupVersionKind;
  readonly desiredAPIVersion: string;
  /** Whole, with apiVersion and kind, not in the desired version. */
  readonly object: JsonObject;
}

/** The object in the desired version, or why it cannot be shown. */
export type Converted = { readonly object: JsonObject } | { readonly error: string };

const definitions = new Definitions(
  {
    definitions: {
      'v1.ConversionReview': ['kind string', 'apiVersion string', 'response v1.ConversionResponse pointer'],
      'v1.ConversionResponse': ['uid string always go=types.UID', 'convertedObjects []json', 'result meta.v1.Status always'],
    },
  },
  releaseDefinitions,
);

const conversionReview: ReplyKind = { group: 'apiextensions.k8s.io', kind: 'ConversionReview', of: definitions.get('v1.ConversionReview') };

/** The body of the call, `ConversionReview`; or what is wrong with the definition. */
export function conversionBody(
  { reviewVersions, desiredAPIVersion, object }: Pick<ConversionCall, 'reviewVersions' | 'desiredAPIVersion' | 'object'>,
  uid: string,
): JsonObject | { error: string } {
  const version = reviewVersionOf(reviewVersions);
  if (version === undefined) return { error: 'no supported conversion review versions' };
  return {
    kind: 'ConversionReview',
    apiVersion: `${conversionReview.group}/${version}`,
    request: { uid, desiredAPIVersion, objects: [object] },
  };
}

/** The version that a webhook is asked in; undefined: it knows none that the server does. */
function reviewVersionOf(reviewVersions: readonly string[]): string | undefined {
  return reviewVersions.find((version) => version === 'v1' || version === 'v1beta1');
}

/** What a conversion webhook has answered, checked as the API server checks it (`webhook_converter.go`): nothing but what may change has. */
export function readConversion(call: ConversionCall, uid: string, reply: CallReply): Converted {
  const read = readReply(conversionReview, reply);
  if (typeof read === 'string') return conversionFailed(call, read);
  const problem = problemOf(read, uid, reviewVersionOf(call.reviewVersions) === 'v1');
  if (problem !== undefined) return conversionFailed(call, problem);
  const { convertedObjects = [] } = read['response'] as { convertedObjects?: Json[] };
  if (convertedObjects.length !== 1) return { error: `${nameOf(call)} returned ${convertedObjects.length} objects, expected 1` };
  return convertedObject(call, convertedObjects[0] as Json);
}

/** Why nothing came back. */
export function conversionFailed(call: ConversionCall, why: string): Converted {
  return { error: `${nameOf(call)} failed: ${why}` };
}

interface Response {
  uid?: string;
  result?: { status?: string; message?: string };
}

function problemOf(review: JsonObject, uid: string, isV1: boolean): string | undefined {
  const { kind = '', apiVersion = '', response } = review as { kind?: string; apiVersion?: string; response?: Response };
  if (isV1 && (kind !== 'ConversionReview' || apiVersion !== `${conversionReview.group}/v1`))
    return `expected webhook response of ${conversionReview.group}/v1, Kind=ConversionReview, got ${apiVersion}, Kind=${kind}`;
  if (!response) return 'no response provided';
  if (isV1 && (response.uid ?? '') !== uid) return `expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? '')}`;
  const { status = '', message } = response.result ?? {};
  if (status === 'Success') return undefined;
  return message || `response.result.status was '${status}', not 'Success'`;
}

const identity = [
  ['kind', (object: JsonObject) => object['kind']],
  ['name', (object: JsonObject) => metadataOf(object)['name']],
  ['namespace', (object: JsonObject) => metadataOf(object)['namespace']],
  ['UID', (object: JsonObject) => metadataOf(object)['uid']],
] as const;

/** The object with the metadata that it had, but for labels and annotations; or what is wrong with it. */
function convertedObject(call: ConversionCall, converted: Json): Converted {
  const { desiredAPIVersion, object: original } = call;
  const wrong = (text: string): Converted => ({ error: `${nameOf(call)} returned invalid ${text}` });
  if (!isObject(converted)) return { error: 'json: cannot unmarshal into Go value of type map[string]interface {}' };
  const version = text(converted['apiVersion']);
  if (version !== desiredAPIVersion)
    return wrong(`object at index 0: invalid groupVersion (expected ${desiredAPIVersion}, received ${version})`);
  const kinds = `(expected ${text(original['kind'])}, received ${text(converted['kind'])})`;
  if (converted['kind'] !== original['kind']) return wrong(`object at index 0: invalid kind ${kinds}`);
  for (const [what, of] of identity)
    if (text(of(original)) !== text(of(converted)))
      return wrong(`object: must have the same ${what}: ${text(of(original))} != ${text(of(converted))}`);
  const restored = restoredMetadata(metadataOf(original), converted['metadata']);
  if (typeof restored === 'string') return wrong(`metadata: ${restored}`);
  return { object: { ...converted, metadata: restored } };
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Whom refusals name. */
export function nameOf({ from: { group, version, kind } }: Pick<ConversionCall, 'from'>): string {
  return `conversion webhook for ${apiVersionOf(group, version)}, Kind=${kind}`;
}
