import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import {
  apiVersionOf,
  encodeList,
  encodeMessage,
  messageField,
  parseApiVersion,
  schemaOf,
  writeEnvelope,
  type ResourceKind,
} from '#libs/kube-api';
import { viewOf } from './object-json';
import type { ListMetadata } from './presentation';

export const protobufType = 'application/vnd.kubernetes.protobuf';

/** Bytes of encoded objects kept; beyond it the cache starts anew. */
const cachedMax = 48 * 1024 * 1024;

let messages = new WeakMap<KubeObject, Buffer>();
let cached = 0;

type Schema = NonNullable<ReturnType<typeof schemaOf>>;

/** Kinds that are no built-in ones have no messages: they are answered in JSON. */
export function hasMessages({ schema }: ResourceKind): boolean {
  return (schema?.byName.get('metadata')?.numbers.length ?? 0) > 0;
}

/** An object's message, in bytes of its own. Objects never change, so each is written out once. */
export function messageOf(kind: ResourceKind, object: KubeObject): Buffer {
  const view = viewOf(kind, object);
  const known = messages.get(view);
  if (known !== undefined) return known;
  const message = withoutPool(encodeMessage(kind.schema as Schema, { ...view, metadata: plainMetadata(view) } as unknown as JsonObject));
  if (cached > cachedMax) {
    messages = new WeakMap();
    cached = 0;
  }
  cached += message.length;
  messages.set(view, message);
  return message;
}

/** The bytes alone: a short buffer is a piece of Node's pool, and keeps the 8 KB around it for as long as it is kept itself. */
function withoutPool(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= 2 * bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** Owners may be kept as the text that JSON answers are made of. */
function plainMetadata({ metadata }: KubeObject): JsonObject {
  const { managedFields } = metadata;
  if (!managedFields || Array.isArray(managedFields)) return metadata as unknown as JsonObject;
  const owners = managedFields.json === '' ? [] : (JSON.parse(managedFields.json) as Json);
  return { ...metadata, managedFields: owners } as unknown as JsonObject;
}

export function objectProtobuf(kind: ResourceKind, object: KubeObject): Buffer {
  return writeEnvelope(kind.apiVersion, kind.kind, messageOf(kind, object));
}

/** Without its items a list is its metadata. */
export function listProtobuf(kind: ResourceKind, objects: readonly KubeObject[], metadata: ListMetadata): Buffer {
  const items = objects.map((object) => messageOf(kind, object));
  return writeEnvelope(kind.apiVersion, `${kind.kind}List`, encodeList(metadataOf('Status'), { ...metadata }, items));
}

/** Any other answer, by its JSON text: a Status, a Scale, metadata alone. Undefined: there is no message for it. */
export function textProtobuf(json: string): Buffer | undefined {
  const value = JSON.parse(json) as JsonObject & { apiVersion: string; kind: string };
  const { apiVersion, kind } = value;
  if (kind === 'PartialObjectMetadata') return writeEnvelope(apiVersion, kind, partialMessage(value));
  if (kind === 'PartialObjectMetadataList') {
    const items = ((value.items ?? []) as JsonObject[]).map(partialMessage);
    return writeEnvelope(apiVersion, kind, encodeList(metadataOf('Status'), value.metadata as JsonObject, items));
  }
  const parsed = parseApiVersion(apiVersion);
  const definition = parsed && schemaOf({ ...parsed, kind });
  return definition ? writeEnvelope(apiVersionOf(parsed.group, parsed.version), kind, encodeMessage(definition, value)) : undefined;
}

function partialMessage({ metadata }: JsonObject): Buffer {
  return messageField(1, encodeMessage(metadataOf('ConfigMap'), metadata as JsonObject));
}

/** The definition of the metadata that a kind of the core group has. */
function metadataOf(kind: 'Status' | 'ConfigMap'): Schema {
  const ref = schemaOf({ group: '', version: 'v1', kind })?.byName.get('metadata')?.ref;
  if (ref?.type !== 'struct') throw new Error(`no metadata of ${kind}`);
  return ref.of;
}
