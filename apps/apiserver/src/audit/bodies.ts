import { isObject, jsonText, type Json, type JsonObject } from '#libs/kernel';
import type { Answer } from '../http/answer';
import { jsonValue } from '../wire/json-value';

/** What a body is about, as far as that decides what of it is written. */
export interface About {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

/** The JSON of an API object in an answer; undefined: it has none (a text, a document, a stream). */
export function objectIn({ status, contentType, body, json }: Answer): string | undefined {
  // A refusal of every form that was asked for is written past all that tells forms apart, as upstream writes it.
  if (status === 406) return undefined;
  if (json !== undefined) return typeof json === 'string' ? json : json();
  if (contentType !== 'application/json' || !isApiObject(body)) return undefined;
  const text = body.toString().trimEnd();
  return text.startsWith('{\n') ? compactJson(text) : text;
}

/** The Status in an answer, where it is one. */
export function statusIn(answer: Answer): JsonObject | undefined {
  const { json } = answer;
  // What is made only when asked for is an object of a resource.
  if (typeof json === 'function') return undefined;
  if (!isStatus(json ?? headOf(answer.body))) return undefined;
  const text = objectIn(answer);
  return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
}

const headLength = 64;

function headOf(body: string | Buffer): string {
  return typeof body === 'string' ? body.slice(0, headLength) : body.toString('latin1', 0, headLength);
}

function isApiObject(body: string | Buffer): boolean {
  return /^\{\s*"(kind|apiVersion)":\s*"/.test(headOf(body));
}

function isStatus(text: string): boolean {
  return /^\{\s*"kind":\s*"Status",\s*"apiVersion":\s*"v1"/.test(text);
}

/** JSON without the space between its parts; each part stays as it was written. */
export function compactJson(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted: string | undefined) => quoted ?? '');
}

/** As `compactJson`; undefined for what is no JSON. */
export function compactIfJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return compactJson(text);
}

/** A body as it is written: without the tokens by which somebody could act, and without owners of fields where they are not wanted. */
export function writable(json: string, about: About, omitManagedFields: boolean): string {
  const hide = hiding(about);
  const omits = omitManagedFields && json.includes('"managedFields"');
  if (!hide && !omits) return json;
  const value = jsonValue(json);
  for (const object of objectsIn(value)) {
    hide?.(object);
    if (omits && isObject(object['metadata'])) delete object['metadata']['managedFields'];
  }
  return jsonText(value);
}

/** The object, or those of a list or of a Table. */
function* objectsIn(value: Json): Iterable<JsonObject> {
  if (!isObject(value)) return;
  yield value;
  const { items, rows } = value;
  if (Array.isArray(items)) for (const item of items) if (isObject(item)) yield item;
  if (Array.isArray(rows)) for (const row of rows) if (isObject(row) && isObject(row['object'])) yield row['object'];
}

function hiding({ group, resource, subresource }: About): ((object: JsonObject) => void) | undefined {
  if (resource === 'tokenreviews' && group === 'authentication.k8s.io') return ({ spec }) => without(spec, 'token');
  if (group !== '') return undefined;
  if (resource === 'serviceaccounts' && subresource === 'token') return ({ status }) => without(status, 'token');
  return resource === 'secrets' ? hideAccountToken : undefined;
}

/** The token of an account; of what does not say which Secret it is of, as patches do not, whatever is called so. */
function hideAccountToken(secret: JsonObject): void {
  const { type, data, stringData } = secret;
  if (type !== undefined && type !== 'kubernetes.io/service-account-token') return;
  without(data, 'token');
  without(stringData, 'token');
}

function without(part: Json | undefined, field: string): void {
  if (isObject(part)) delete part[field];
}
