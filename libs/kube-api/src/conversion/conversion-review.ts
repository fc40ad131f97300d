import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { readReply, type CallReply, type ClientConfig, type ReplyKind } from '../admission/webhooks';
import { apiVersionOf } from '../kinds/names';
import { Definitions, releaseDefinitions, type GroupVersionKind } from '../schema';
import { goQuote } from '../status';

/** Objects that a conversion webhook is asked to show in another version of their kind. */
export interface ConversionCall {
  readonly clientConfig: ClientConfig;
  /** `conversionReviewVersions` of the definition; the first one that is known is used. */
  readonly reviewVersions: readonly string[];
  /** What refusals name: the kind of the object, or of the list that the objects are in. */
  readonly from: GroupVersionKind;
  readonly desiredAPIVersion: string;
  /** Whole, with apiVersion and kind, none of them in the desired version. */
  readonly objects: readonly JsonObject[];
}

/** In the order of the objects that were sent, or why they cannot be shown. */
export type Converted = { readonly objects: readonly JsonObject[] } | { readonly error: string };

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
  { reviewVersions, desiredAPIVersion, objects }: ConversionCall,
  uid: string,
): JsonObject | { error: string } {
  const version = reviewVersions.find((candidate) => candidate === 'v1' || candidate === 'v1beta1');
  if (version === undefined) return { error: 'no supported conversion review versions' };
  return {
    kind: 'ConversionReview',
    apiVersion: `${conversionReview.group}/${version}`,
    request: { uid, desiredAPIVersion, objects: [...objects] },
  };
}

/** What a conversion webhook has answered, checked as the API server checks it (`webhook_converter.go`): nothing but what may change has. */
export function readConversion(call: ConversionCall, uid: string, reply: CallReply): Converted {
  const read = readReply(conversionReview, reply);
  const failed = (text: string): Converted => ({ error: `conversion webhook for ${shown(call.from)} failed: ${text}` });
  if (typeof read === 'string') return failed(read);
  const isV1 = call.reviewVersions.find((version) => version === 'v1' || version === 'v1beta1') === 'v1';
  const problem = problemOf(read, uid, isV1);
  if (problem !== undefined) return failed(problem);
  const { convertedObjects = [] } = read['response'] as { convertedObjects?: Json[] };
  if (convertedObjects.length !== call.objects.length)
    return {
      error: `conversion webhook for ${shown(call.from)} returned ${convertedObjects.length} objects, expected ${call.objects.length}`,
    };
  const objects: JsonObject[] = [];
  for (const [index, converted] of convertedObjects.entries()) {
    const checked = convertedObject(call, call.objects[index] as JsonObject, converted);
    if (typeof checked === 'string')
      return { error: `conversion webhook for ${shown(call.from)} returned invalid converted object at index ${index}: ${checked}` };
    objects.push(checked);
  }
  return { objects };
}

/** Why nothing came back. */
export function conversionFailed({ from }: ConversionCall, why: string): Converted {
  return { error: `conversion webhook for ${shown(from)} failed: ${why}` };
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
function convertedObject({ desiredAPIVersion }: ConversionCall, original: JsonObject, converted: Json): JsonObject | string {
  if (!isObject(converted)) return 'json: cannot unmarshal into Go value of type map[string]interface {}';
  const version = text(converted['apiVersion']);
  if (version !== desiredAPIVersion) return `invalid groupVersion (expected ${desiredAPIVersion}, received ${version})`;
  if (converted['kind'] !== original['kind'])
    return `invalid kind (expected ${text(original['kind'])}, received ${text(converted['kind'])})`;
  for (const [what, of] of identity)
    if (text(of(original)) !== text(of(converted))) return `must have the same ${what}: ${text(of(original))} != ${text(of(converted))}`;
  if (converted['metadata'] === undefined) return 'missing metadata in converted object';
  return { ...converted, metadata: keptMetadata(metadataOf(original), metadataOf(converted)) };
}

function keptMetadata(original: JsonObject, converted: JsonObject): JsonObject {
  const { labels: _labels, annotations: _annotations, ...kept } = original;
  const { labels, annotations } = converted;
  return { ...kept, ...(isObject(labels) ? { labels } : {}), ...(isObject(annotations) ? { annotations } : {}) };
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) ? metadata : {};
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function shown({ group, version, kind }: GroupVersionKind): string {
  return `${apiVersionOf(group, version)}, Kind=${kind}`;
}
