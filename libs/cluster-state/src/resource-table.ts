import { countWhile, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { IndexedValue } from './object-index';
import { TableIndices } from './table-indices';

/** So many keys that came or went are put in their places one by one; more, and all are sorted anew. */
const placedMax = 64;

/** Each write asks for several resources of which most clusters have nothing. */
const none: readonly KubeObject[] = [];

/** The objects of one resource, by key. Keys come back in etcd's order, sorted once and kept until many keys have come or gone. */
export class ResourceTable {
  private readonly entries = new Map<ObjectKey, KubeObject>();
  /** Sorted keys, while they are known, but for those in `moved`. */
  protected order: readonly ObjectKey[] | undefined;
  /** Keys that have come or gone since. */
  private readonly moved = new Set<ObjectKey>();
  private indices: TableIndices | undefined;
  /** How often an object has come, gone or changed: what was made of the objects holds as long as this stays. */
  changes = 0;

  constructor(readonly resource: GroupResource) {}

  /** All of them, in the order in which they came. */
  get objects(): ReadonlyMap<ObjectKey, KubeObject> {
    return this.entries;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.entries.get(key);
  }

  set(key: ObjectKey, object: KubeObject): void {
    const before = this.entries.get(key);
    if (before === undefined) this.move(key);
    this.changes++;
    this.entries.set(key, object);
    this.indices?.change(key, before, object);
  }

  delete(key: ObjectKey): void {
    const before = this.entries.get(key);
    if (!this.entries.delete(key)) return;
    this.changes++;
    this.move(key);
    this.indices?.change(key, before, undefined);
  }

  /** Byte order of `namespace/name`. */
  keys(): readonly ObjectKey[] {
    if (this.moved.size > 0 && this.order) this.order = this.placed(this.order);
    this.order ??= [...this.entries.keys()].sort();
    this.moved.clear();
    return this.order;
  }

  /**
   * Keys of the objects that have this value, in order; to be used in this turn of the event loop. Undefined where they are not known without
   * looking at every object.
   * @param index name of what they are found by: the same name, the same function
   */
  keysWith(index: string, valueOf: IndexedValue, value: string): readonly ObjectKey[] | undefined {
    this.indices ??= new TableIndices();
    return this.indices.get(index, valueOf, () => this.objects)?.keys(value);
  }

  /** In key order; of one namespace when named. */
  list(namespace?: string): Iterable<KubeObject> {
    return this.isEmpty ? none : this.walk(namespace);
  }

  protected get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  private *walk(namespace: string | undefined): IterableIterator<KubeObject> {
    const keys = this.keys();
    if (!namespace) {
      for (const key of keys) yield this.get(key) as KubeObject;
      return;
    }
    const prefix = `${namespace}/`;
    for (let i = firstNotBelow(keys, prefix); i < keys.length && (keys[i] as string).startsWith(prefix); i++) {
      yield this.get(keys[i] as string) as KubeObject;
    }
  }

  /** A key comes or goes. */
  protected move(key: ObjectKey): void {
    if (!this.order) return;
    this.moved.add(key);
    if (this.moved.size <= placedMax) return;
    this.order = undefined;
    this.moved.clear();
  }

  /** A list of its own: somebody may still walk through the one before. */
  private placed(order: readonly ObjectKey[]): readonly ObjectKey[] {
    const keys = order.slice();
    for (const key of this.moved) {
      const at = firstNotBelow(keys, key);
      const isThere = keys[at] === key;
      if (isThere !== this.entries.has(key)) keys.splice(at, isThere ? 1 : 0, ...(isThere ? [] : [key]));
    }
    return keys;
  }
}

/** Index of the first key that is not below the given one. */
export function firstNotBelow(keys: readonly string[], key: string): number {
  return countWhile(keys, (each) => each < key);
}
