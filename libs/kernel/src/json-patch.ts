import { isObject, jsonEqual, ownValue, setOwn, type Json, type JsonObject } from './json';

/** An operation of a JSON patch (RFC 6902): the three that a difference needs. */
export type PatchOperation = { op: 'add' | 'replace'; path: string; value: Json } | { op: 'remove'; path: string };
export type JsonPatch = PatchOperation[];

/** The patch does not fit the document. */
export class PatchMismatchError extends Error {
  override name = 'PatchMismatchError';
}

/** The keys and indices that a JSON pointer (RFC 6901) leads through. @throws PatchMismatchError */
export function pointerParts(pointer: string): string[] {
  if (pointer === '') return [];
  if (pointer[0] !== '/') throw new PatchMismatchError(`"${pointer}" is no JSON pointer`);
  const parts = pointer.slice(1).split('/');
  return pointer.includes('~') ? parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')) : parts;
}

export function pointerTo(parts: readonly (string | number)[]): string {
  let pointer = '';
  for (const part of parts) pointer += `/${typeof part === 'string' && /[~/]/.test(part) ? escaped(part) : part}`;
  return pointer;
}

function escaped(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The patch that turns `before` into `after`. Lists of one length are compared element by element, a grown list gets its new
 * elements at its end; any other change replaces the list whole. An absent key and an `undefined` one are the same.
 */
export function patchOf(before: unknown, after: unknown): JsonPatch {
  const patch: JsonPatch = [];
  collect(before, after, [], patch);
  return patch;
}

/** `path` is one list for the whole walk: most of what is compared is equal, and only an operation needs a pointer of its own. */
function collect(before: unknown, after: unknown, path: (string | number)[], patch: JsonPatch): void {
  if (before === after) return;
  if (isObject(before) && isObject(after)) {
    collectObject(before, after, path, patch);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length > 0 && before.length <= after.length) {
    collectList(before, after, path, patch);
    return;
  }
  if (!jsonEqual(before, after)) patch.push({ op: 'replace', path: pointerTo(path), value: after as Json });
}

function collectObject(before: JsonObject, after: JsonObject, path: (string | number)[], patch: JsonPatch): void {
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && ownValue(after, key) === undefined) patch.push({ op: 'remove', path: pointerTo([...path, key]) });
  }
  for (const key of Object.keys(after)) {
    const value = after[key];
    const old = ownValue(before, key);
    if (value === undefined || value === old) continue;
    if (old === undefined) patch.push({ op: 'add', path: pointerTo([...path, key]), value });
    else collectAt(key, old, value, path, patch);
  }
}

function collectAt(key: string | number, before: unknown, after: unknown, path: (string | number)[], patch: JsonPatch): void {
  path.push(key);
  collect(before, after, path, patch);
  path.pop();
}

function collectList(before: Json[], after: Json[], path: (string | number)[], patch: JsonPatch): void {
  const inner: JsonPatch = [];
  let touched = 0;
  for (let i = 0; i < before.length; i++) {
    const length = inner.length;
    if (isAnother(before[i], after[i])) touched = before.length;
    else collectAt(i, before[i], after[i], path, inner);
    if (inner.length > length) touched++;
  }
  if (before.length > 1 ? touched * 2 > before.length : touched > 0 && isAnother(before[0], after[0])) {
    patch.push({ op: 'replace', path: pointerTo(path), value: after });
    return;
  }
  const end = pointerTo([...path, '-']);
  for (let i = before.length; i < after.length; i++) inner.push({ op: 'add', path: end, value: after[i] as Json });
  patch.push(...inner);
}

/** Elements of lists of named things (conditions, containers): another name or type is another element, not a changed one. */
function isAnother(before: Json | undefined, after: Json | undefined): boolean {
  return isObject(before) && isObject(after) && (before.type !== after.type || before.name !== after.name);
}

/**
 * The value with the patch applied; what is untouched is shared with the old value, nothing is changed in place.
 * @throws PatchMismatchError
 */
export function applyPatch<T>(value: T, patch: readonly PatchOperation[]): T {
  let result: unknown = value;
  const owned = new Set<unknown>();
  for (const operation of patch) result = applied(result, operation, pointerParts(operation.path), 0, owned);
  return result as T;
}

function applied(value: unknown, operation: PatchOperation, parts: readonly string[], depth: number, owned: Set<unknown>): unknown {
  if (depth === parts.length) {
    if (operation.op === 'remove') throw new PatchMismatchError('the document cannot be removed');
    return operation.value;
  }
  const key = parts[depth] as string;
  const copy = copyOf(value, operation, owned);
  if (depth + 1 < parts.length) {
    const at = Array.isArray(copy) ? indexIn(copy.length, key, operation) : key;
    setOwn(copy, at, applied(ownValue(copy, at), operation, parts, depth + 1, owned));
  } else if (Array.isArray(copy)) changeList(copy, key, operation);
  else changeObject(copy, key, operation);
  return copy;
}

function copyOf(value: unknown, operation: PatchOperation, owned: Set<unknown>): JsonObject | Json[] {
  if (owned.has(value)) return value as JsonObject | Json[];
  const copy = Array.isArray(value) ? (value.slice() as Json[]) : isObject(value) ? { ...value } : undefined;
  if (!copy) throw mismatch(operation);
  owned.add(copy);
  return copy;
}

function changeObject(object: JsonObject, key: string, operation: PatchOperation): void {
  if (operation.op !== 'add' && ownValue(object, key) === undefined) throw mismatch(operation);
  if (operation.op === 'remove') delete object[key];
  else setOwn(object, key, operation.value);
}

function changeList(list: Json[], key: string, operation: PatchOperation): void {
  if (operation.op === 'add') {
    if (key === '-') list.push(operation.value);
    else list.splice(indexIn(list.length + 1, key, operation), 0, operation.value);
    return;
  }
  const index = indexIn(list.length, key, operation);
  if (operation.op === 'remove') list.splice(index, 1);
  else list[index] = operation.value;
}

function indexIn(length: number, key: string, operation: PatchOperation): number {
  const index = Number(key);
  if (!/^(0|[1-9]\d*)$/.test(key) || index >= length) throw mismatch(operation);
  return index;
}

function mismatch({ op, path }: PatchOperation): PatchMismatchError {
  return new PatchMismatchError(`there is nothing to ${op} at "${path}"`);
}
