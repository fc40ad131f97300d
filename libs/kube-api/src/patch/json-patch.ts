import { isObject, jsonEqual } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';

/** A JSON patch that cannot be applied; upstream answers all of them with the same 422. */
export class JsonPatchError extends Error {}

/** Operations of one patch. */
export const jsonPatchOperationsMax = 10_000;
/** Characters that the `copy` operations of one patch may duplicate: twice the largest body. */
export const jsonPatchCopiedMax = 2 * 3 * 1024 * 1024;

/** Elements that the operations of one patch may move aside in lists: ten thousand insertions in front of as many. */
const jsonPatchShiftedMax = 100_000_000;

type Container = JsonObject | Json[];

/** RFC 6902 on a copy of the document; negative indices count from the end, as upstream's library does. */
export function applyJsonPatch(document: Json, operations: readonly Json[]): Json {
  const patcher = new JsonPatcher(structuredClone(document));
  for (const operation of operations) {
    if (!isObject(operation)) throw new JsonPatchError('operation is no object');
    patcher.apply(operation);
  }
  return patcher.document;
}

function pointer(value: Json | undefined): string[] {
  if (typeof value !== 'string') throw new JsonPatchError('missing path');
  if (value === '') return [];
  if (!value.startsWith('/')) throw new JsonPatchError(`bad path ${value}`);
  return value
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function indexIn(list: readonly Json[], key: string, extra: 0 | 1): number {
  if (!/^-?(0|[1-9]\d*)$/.test(key)) throw new JsonPatchError(`bad index ${key}`);
  const given = Number(key);
  const index = given < 0 ? given + list.length + extra : given;
  if (index < 0 || index >= list.length + extra) throw new JsonPatchError(`index out of bounds: ${key}`);
  return index;
}

function child(container: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(container)) return container[indexIn(container, key, 0)];
  if (!isObject(container)) throw new JsonPatchError('path leads through a scalar');
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

class JsonPatcher {
  private copied = 0;
  private shifted = 0;

  constructor(public document: Json) {}

  apply(operation: JsonObject): void {
    const path = pointer(operation['path']);
    switch (operation['op']) {
      case 'add':
        return this.add(path, this.valueOf(operation));
      case 'replace':
        return this.replace(path, this.valueOf(operation));
      case 'remove':
        this.remove(path);
        return undefined;
      case 'move':
        return this.add(path, this.remove(pointer(operation['from'])));
      case 'copy':
        return this.add(path, this.copyOf(pointer(operation['from'])));
      case 'test':
        return this.test(path, operation['value']);
      default:
        throw new JsonPatchError('unexpected kind');
    }
  }

  private valueOf(operation: JsonObject): Json {
    const value = operation['value'];
    if (value === undefined) throw new JsonPatchError('missing value');
    return structuredClone(value);
  }

  /** The container that holds the last part of a path. */
  private holder(path: readonly string[]): { container: Container; key: string } {
    let container: Json | undefined = this.document;
    for (const key of path.slice(0, -1)) container = child(container, key);
    if (!Array.isArray(container) && !isObject(container)) throw new JsonPatchError('missing path');
    return { container, key: path.at(-1) as string };
  }

  private read(path: readonly string[]): Json | undefined {
    let value: Json | undefined = this.document;
    for (const key of path) value = child(value, key);
    return value;
  }

  private add(path: readonly string[], value: Json): void {
    if (path.length === 0) this.document = value;
    else {
      const { container, key } = this.holder(path);
      if (!Array.isArray(container)) setOwn(container, key, value);
      else this.splice(container, key === '-' ? container.length : indexIn(container, key, 1), 0, value);
    }
  }

  private splice(list: Json[], index: number, removed: 0 | 1, ...added: Json[]): Json[] {
    this.shifted += list.length - index;
    if (this.shifted > jsonPatchShiftedMax) throw new JsonPatchError('too much moved');
    return list.splice(index, removed, ...added);
  }

  private replace(path: readonly string[], value: Json): void {
    if (path.length === 0) {
      this.document = value;
      return;
    }
    const { container, key } = this.holder(path);
    if (Array.isArray(container)) container[indexIn(container, key, 0)] = value;
    // Unlike RFC 6902 upstream does not ask whether an object has the key.
    else setOwn(container, key, value);
  }

  private remove(path: readonly string[]): Json {
    if (path.length === 0) throw new JsonPatchError('the document cannot be removed');
    const { container, key } = this.holder(path);
    if (Array.isArray(container)) return this.splice(container, indexIn(container, key, 0), 1)[0] as Json;
    if (!Object.hasOwn(container, key)) throw new JsonPatchError('missing path');
    const value = container[key] as Json;
    delete container[key];
    return value;
  }

  private copyOf(path: readonly string[]): Json {
    const value = this.read(path);
    if (value === undefined) throw new JsonPatchError('missing path');
    this.copied += JSON.stringify(value).length;
    if (this.copied > jsonPatchCopiedMax) throw new JsonPatchError('too much copied');
    return structuredClone(value);
  }

  private test(path: readonly string[], value: Json | undefined): void {
    if (!jsonEqual(this.read(path) ?? null, value ?? null)) throw new JsonPatchError('test failed');
  }
}
