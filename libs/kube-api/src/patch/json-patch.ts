import { isObject, jsonEqual } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';
import { draftOf } from '../defaults/draft';
import { inOrder, type Opened } from './quoted';

/** A JSON patch that cannot be applied; upstream answers all of them with the same 422. */
export class JsonPatchError extends Error {}

/** Operations of one patch. */
export const jsonPatchOperationsMax = 10_000;
/** Characters that the `copy` operations of one patch may duplicate: twice the largest body. */
export const jsonPatchCopiedMax = 2 * 3 * 1024 * 1024;

/** Elements that the operations of one patch may move aside in lists: ten thousand insertions in front of as many. */
const jsonPatchShiftedMax = 100_000_000;

type Container = JsonObject | Json[];

/** A copy in which no part is there twice: parts of an object may be shared, and are changed one by one here. */
function ownCopy(value: Json): Json {
  return draftOf(value);
}

/**
 * RFC 6902 on a copy of the document, as upstream's library has it: negative indices count from the end, what is not there can be
 * replaced and copied (as null), and the first part of a path, which should be empty, is not looked at.
 * @param opened is told the objects that were taken apart for it
 */
export function applyJsonPatch(document: Json, operations: readonly Json[], opened?: Opened): Json {
  const patcher = new JsonPatcher(ownCopy(document), opened);
  for (const operation of operations) {
    if (!isObject(operation)) throw new JsonPatchError('operation is no object');
    patcher.apply(operation);
  }
  return patcher.document;
}

function pointer(value: Json | undefined): string[] {
  if (typeof value !== 'string') throw new JsonPatchError('missing path');
  return value
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')));
}

/** The whole document, which only `replace` and `test` can be about. */
const isWhole = (operation: JsonObject): boolean => operation['path'] === '';

function indexIn(list: readonly Json[], key: string, extra: 0 | 1): number {
  if (!/^[-+]?\d+$/.test(key)) throw new JsonPatchError(`bad index ${key}`);
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

  constructor(
    public document: Json,
    private readonly opened: Opened | undefined,
  ) {
    this.open(document);
  }

  apply(operation: JsonObject): void {
    const path = pointer(operation['path']);
    switch (operation['op']) {
      case 'add':
        return this.add(path, ownCopy(operation['value'] ?? null));
      case 'replace':
        return isWhole(operation) ? this.replaceWhole(operation['value']) : this.replace(path, ownCopy(operation['value'] ?? null));
      case 'remove':
        this.remove(path);
        return undefined;
      case 'move':
        return this.add(path, this.remove(pointer(operation['from'])));
      case 'copy':
        return this.add(path, this.copyOf(pointer(operation['from'])));
      case 'test':
        return this.test(isWhole(operation) ? this.document : this.read(path), operation['value']);
      default:
        throw new JsonPatchError('unexpected kind');
    }
  }

  private open(value: Json | undefined): void {
    if (isObject(value)) this.opened?.add(value);
  }

  /** The container that holds the last part of a path. */
  private holder(path: readonly string[]): { container: Container; key: string } {
    if (path.length === 0) throw new JsonPatchError('missing path');
    let container: Json | undefined = this.document;
    for (const key of path.slice(0, -1)) {
      container = child(container, key);
      this.open(container);
    }
    if (!Array.isArray(container) && !isObject(container)) throw new JsonPatchError('missing path');
    return { container, key: path.at(-1) as string };
  }

  /** Undefined where an object has nothing of that name. */
  private read(path: readonly string[]): Json | undefined {
    const { container, key } = this.holder(path);
    return child(container, key);
  }

  private add(path: readonly string[], value: Json): void {
    const { container, key } = this.holder(path);
    if (!Array.isArray(container)) setOwn(container, key, value);
    else this.splice(container, key === '-' ? container.length : indexIn(container, key, 1), 0, value);
  }

  private splice(list: Json[], index: number, removed: 0 | 1, ...added: Json[]): Json[] {
    this.shifted += list.length - index;
    if (this.shifted > jsonPatchShiftedMax) throw new JsonPatchError('too much moved');
    return list.splice(index, removed, ...added);
  }

  private replaceWhole(value: Json | undefined): void {
    if (typeof value !== 'object' || value === null) throw new JsonPatchError('value must be object or array');
    this.document = ownCopy(value);
    this.open(this.document);
  }

  private replace(path: readonly string[], value: Json): void {
    const { container, key } = this.holder(path);
    if (Array.isArray(container)) container[indexIn(container, key, 0)] = value;
    else setOwn(container, key, value);
  }

  private remove(path: readonly string[]): Json {
    const { container, key } = this.holder(path);
    if (Array.isArray(container)) return this.splice(container, indexIn(container, key, 0), 1)[0] as Json;
    if (!Object.hasOwn(container, key)) throw new JsonPatchError('missing path');
    const value = container[key] as Json;
    delete container[key];
    return value;
  }

  private copyOf(path: readonly string[]): Json {
    const value = this.read(path) ?? null;
    this.copied += JSON.stringify(value).length;
    if (this.copied > jsonPatchCopiedMax) throw new JsonPatchError('too much copied');
    return this.opened ? inOrder(value, this.opened) : ownCopy(value);
  }

  private test(present: Json | undefined, value: Json | undefined): void {
    if (!jsonEqual(present ?? null, value ?? null)) throw new JsonPatchError('test failed');
    this.openAll(present);
  }

  /** What has been compared is taken apart to its end. */
  private openAll(value: Json | undefined): void {
    if (!this.opened || typeof value !== 'object' || value === null) return;
    this.open(value);
    for (const item of Object.values(value)) this.openAll(item);
  }
}
