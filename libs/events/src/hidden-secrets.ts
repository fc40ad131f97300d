import { hash } from 'node:crypto';
import { isObject, pointerParts, type Json, type JsonObject } from '#libs/kernel';

/*
 * Events as they are shown to people: what a Secret holds is replaced by its length and a short digest, so that one sees that a value
 * changed, and changed back, without seeing it.
 */

const heldIn: ReadonlySet<string> = new Set(['data', 'stringData']);
/** What kubectl writes there is the object once more. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

interface ShownEvent {
  stream: string;
  data: JsonObject;
  metadata: JsonObject;
}

/** Whether a stream is that of a Secret, of whatever cluster. */
export function isSecretStream(stream: string): boolean {
  const dash = stream.indexOf('-');
  return dash > 0 && stream.slice(0, dash).endsWith('.secrets');
}

/** The event as it may be shown; the same one where there is nothing to hide. Its digests would tell a guessed value from a wrong one. */
export function withHiddenSecrets<E extends ShownEvent>(event: E): E {
  if (isKeptSecret(event)) return { ...event, data: { ...event.data, request: mark(event.data.request as Json, event.stream) } };
  if (isAskedSecret(event)) return { ...event, data: { ...event.data, object: hiddenAt([], event.data.object as Json, event.stream) } };
  if (isPatched(event)) return { ...event, data: withHiddenPatch(event.data, event.stream) };
  const isOutput = isSecretOutput(event);
  if (!isOutput && !isSecretStream(event.stream)) return event;
  const { digest: _digest, body: _body, ...metadata } = event.metadata;
  return { ...event, data: isOutput ? withHiddenOutput(event.data, event.stream) : hiddenData(event.stream, event.data), metadata };
}

/** A request for a Secret that a cluster keeps: whatever part of it holds the values, all of it is hidden. */
function isKeptSecret({ stream, data }: ShownEvent): boolean {
  return stream.includes('.kept-requests/') && data.resource === 'secrets';
}

/** A Secret that a webhook is asked about. */
function isAskedSecret({ stream, data }: ShownEvent): boolean {
  if (!stream.includes('.admission-reviews') || !isObject(data.resource) || data.object === undefined) return false;
  return data.resource.group === '' && data.resource.resource === 'secrets';
}

/** What a webhook makes of an object; the answer does not say of what. */
function isPatched({ stream, data }: ShownEvent): boolean {
  return stream.includes('.admission-reviews') && isObject(data.outcome) && typeof data.outcome.patch === 'string';
}

function withHiddenPatch(data: JsonObject, stream: string): JsonObject {
  const outcome = data.outcome as JsonObject;
  return { ...data, outcome: { ...outcome, patch: mark(outcome.patch as Json, stream) } };
}

/** What a program wrote that has read a Secret. */
function isSecretOutput({ stream, data }: ShownEvent): boolean {
  return data.readsSecrets === true && stream.includes('.kubelet-decisions');
}

function withHiddenOutput(data: JsonObject, stream: string): JsonObject {
  const output = (data.output as [number, string][]).map(([atMs, text]) => [atMs, mark(text, stream)]);
  return { ...data, output, ...(data.message === undefined ? {} : { message: mark(data.message as Json, stream) }) };
}

/** Payload of an event on a stream, as it may be shown. */
export function hiddenData(stream: string, data: JsonObject): JsonObject {
  if (!isSecretStream(stream)) return data;
  const shown: JsonObject = { ...data };
  if (isObject(data.object)) shown.object = hiddenAt([], data.object, stream);
  if (Array.isArray(data.patch)) shown.patch = data.patch.map((operation) => hiddenOperation(operation, stream));
  if (Array.isArray(data.changes)) shown.changes = data.changes.map((change) => hiddenChange(change, stream));
  return shown;
}

function hiddenOperation(operation: Json, stream: string): Json {
  if (!isObject(operation) || operation.value === undefined || typeof operation.path !== 'string') return operation;
  return { ...operation, value: hiddenAt(pointerParts(operation.path), operation.value, stream) };
}

/** Of version 1. */
function hiddenChange(change: Json, stream: string): Json {
  if (!isObject(change) || change.v === undefined || !Array.isArray(change.p)) return change;
  return { ...change, v: hiddenAt(change.p, change.v, stream) };
}

/** A value of a Secret by its path: hidden, taken apart where a part of it is to be hidden, or as it is. */
function hiddenAt(path: readonly Json[], value: Json, stream: string): Json {
  const [first, second, third] = path;
  const isHeld = heldIn.has(String(first)) || (first === 'metadata' && second === 'annotations' && third === lastApplied);
  if (isHeld && path.length >= 2) return mark(value, stream);
  const leadsThere =
    path.length === 0 || heldIn.has(String(first)) || (first === 'metadata' && (path.length === 1 || second === 'annotations'));
  if (!leadsThere || path.length >= 3) return value;
  if (!isObject(value)) return isHeld ? mark(value, stream) : value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hiddenAt([...path, key], part as Json, stream)]));
}

/** `<4 bytes, 9f86d081>`: equal marks on one stream are equal values. Another stream's marks differ, so that no list of them helps. */
function mark(value: Json, stream: string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const bytes = bytesBehind(text);
  return `<${bytes} ${bytes === 1 ? 'byte' : 'bytes'}, ${hash('sha256', `${stream}\n${text}`, 'hex').slice(0, 8)}>`;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Secrets hold base64; anything else counts as it is. */
function bytesBehind(text: string): number {
  return base64.test(text) ? Buffer.byteLength(text, 'base64') : Buffer.byteLength(text);
}
