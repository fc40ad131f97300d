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

function pointer(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')));
}

const missing = 'missing value';

/** A path of an operation as it is written. */
function pathIn(operation: JsonObject, member: 'path' | 'from'): string {
  const value = operation[member];
  if (typeof value === 'string') return value;
  const { op } = operation;
  const isFound = op === 'add' || op === 'remove' || (op === 'copy' && member === 'path');
  const why = isFound ? missing : `operation${member === 'from' ? ',' : ''} missing ${member} field: ${missing}`;
  throw new JsonPatchError(`${op as string} operation failed to decode ${member}: ${why}`);
}

/** The path of the whole document, which only `replace` and `test` can be about. */
const whole = '';

/** @param extra 1 where the place behind the last element is meant too */
function indexIn(list: readonly Json[], key: string, extra: 0 | 1): number {
  if (!isIndex(key)) throw new JsonPatchError(noIndex(key));
  const index = indexOf(list, key, extra);
  if (index === undefined) throw new JsonPatchError(`Unable to access invalid index: ${Number(key)}: invalid index referenced`);
  return index;
}

const isIndex = (key: string): boolean => /^[-+]?\d+$/.test(key);
const noIndex = (key: string): string => `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;

/** Undefined: there is no such element. */
function indexOf(list: readonly Json[], key: string, extra: 0 | 1 = 0): number | undefined {
  if (!isIndex(key)) return undefined;
  const given = Number(key);
  const count = list.length + extra;
  const index = given < 0 ? given + count : given;
  return index < 0 || index >= count ? undefined : index;
}

function child(container: Container, key: string): Json | undefined {
  if (Array.isArray(container)) return container[indexIn(container, key, 0)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

/** The part of a container on the way to another one, if there is one. */
function within(container: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(container)) return container[indexOf(container, key) ?? -1];
  return isObject(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}

/** What goes wrong inside is told with what was being done. */
function inside<T>(told: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof JsonPatchError ? new JsonPatchError(`${told}: ${error.message}`) : error;
  }
}

function destination(operation: 'add' | 'move' | 'copy', path: string): string {
  return operation === 'add' ? `doc is missing path: "${path}"` : `doc is missing destination path: ${path}`;
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
    const { op, value = null } = operation;
    switch (op) {
      case 'add':
        return this.add(pathIn(operation, 'path'), ownCopy(value));
      case 'replace':
        return this.replace(pathIn(operation, 'path'), ownCopy(value));
      case 'remove':
        return this.remove(pathIn(operation, 'path'));
      case 'move':
        return this.move(pathIn(operation, 'from'), operation);
      case 'copy':
        return this.copy(pathIn(operation, 'from'), operation);
      case 'test':
        return this.test(pathIn(operation, 'path'), value);
      default:
        throw new JsonPatchError(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
    }
  }

  private open(value: Json | undefined): void {
    if (isObject(value)) this.opened?.add(value);
  }

  /** The container that holds the last part of a path. @param told what is said where there is none */
  private holder(path: string, told: string): { container: Container; key: string } {
    const parts = pointer(path);
    let container: Json | undefined = parts.length === 0 ? undefined : this.document;
    for (const key of parts.slice(0, -1)) {
      container = within(container, key);
      this.open(container);
    }
    if (!Array.isArray(container) && !isObject(container)) throw new JsonPatchError(`${told}: ${missing}`);
    return { container, key: parts.at(-1) as string };
  }

  private add(path: string, value: Json, operation: 'add' | 'move' | 'copy' = 'add'): void {
    const { container, key } = this.holder(path, `${operation} operation does not apply: ${destination(operation, path)}`);
    if (!Array.isArray(container)) return setOwn(container, key, value);
    const told = operation === 'copy' ? 'error while adding value during copy' : `error in ${operation} for path: '${path}'`;
    const index = (): number => {
      if (!isIndex(key)) throw new JsonPatchError(`value was not a proper array index: '${key}': ${noIndex(key)}`);
      return indexIn(container, key, 1);
    };
    this.splice(container, key === '-' ? container.length : inside(told, index), 0, value);
  }

  private splice(list: Json[], index: number, removed: 0 | 1, ...added: Json[]): Json[] {
    this.shifted += list.length - index;
    if (this.shifted > jsonPatchShiftedMax) throw new JsonPatchError('too much moved');
    return list.splice(index, removed, ...added);
  }

  /** What is no object and no list leaves the document as it is, as upstream's library has it (it tells of no error). */
  private replaceWhole(value: Json): void {
    if (typeof value !== 'object' || value === null) return;
    this.document = value;
    this.open(value);
  }

  private replace(path: string, value: Json): void {
    if (path === whole) return this.replaceWhole(value);
    const { container, key } = this.holder(path, `replace operation does not apply: doc is missing path: ${path}`);
    if (!Array.isArray(container)) return setOwn(container, key, value);
    const index = indexOf(container, key);
    if (index === undefined) throw new JsonPatchError(`replace operation does not apply: doc is missing key: ${path}: ${missing}`);
    container[index] = value;
  }

  private remove(path: string): void {
    const { container, key } = this.holder(path, `remove operation does not apply: doc is missing path: "${path}"`);
    inside(`error in remove for path: '${path}'`, () => this.take(container, key));
  }

  private take(container: Container, key: string): Json {
    if (Array.isArray(container)) return this.splice(container, indexIn(container, key, 0), 1)[0] as Json;
    if (!Object.hasOwn(container, key)) throw new JsonPatchError(`Unable to remove nonexistent key: ${key}: ${missing}`);
    const value = container[key] as Json;
    delete container[key];
    return value;
  }

  private move(from: string, operation: JsonObject): void {
    const { container, key } = this.holder(from, `move operation does not apply: doc is missing from path: ${from}`);
    const value = inside(`error in move for path: '${key}'`, () => this.take(container, key));
    this.add(pathIn(operation, 'path'), value, 'move');
  }

  private copy(from: string, operation: JsonObject): void {
    const { container, key } = this.holder(from, `copy operation does not apply: doc is missing from path: ${from}`);
    const value = inside(`error in copy for from: '${from}'`, () => child(container, key)) ?? null;
    this.copied += JSON.stringify(value).length;
    if (this.copied > jsonPatchCopiedMax) throw new JsonPatchError('too much copied');
    this.add(pathIn(operation, 'path'), this.opened ? inOrder(value, this.opened) : ownCopy(value), 'copy');
  }

  private test(path: string, value: Json): void {
    const present = path === whole ? this.document : this.read(path);
    if (!jsonEqual(present ?? null, value)) throw new JsonPatchError(`testing value ${path} failed: test failed`);
    this.openAll(present);
  }

  /** Undefined where an object has nothing of that name. */
  private read(path: string): Json | undefined {
    const { container, key } = this.holder(path, `test operation does not apply: is missing path: ${path}`);
    return inside(`error in test for path: '${path}'`, () => child(container, key));
  }

  /** What has been compared is taken apart to its end. */
  private openAll(value: Json | undefined): void {
    if (!this.opened || typeof value !== 'object' || value === null) return;
    this.open(value);
    for (const item of Object.values(value)) this.openAll(item);
  }
}
