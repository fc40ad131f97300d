import { countWhile, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';

/** The objects of one resource, by key. Keys come back in etcd's order, sorted once and kept until a key comes or goes. */
export class ResourceTable {
  private readonly entries = new Map<ObjectKey, KubeObject>();
  /** Sorted keys, while they are known. */
  protected order: ObjectKey[] | undefined;

  constructor(readonly resource: GroupResource) {}

  /** All of them, in the order in which they came. */
  get objects(): ReadonlyMap<ObjectKey, KubeObject> {
    return this.entries;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.entries.get(key);
  }

  set(key: ObjectKey, object: KubeObject): void {
    if (!this.entries.has(key)) this.order = undefined;
    this.entries.set(key, object);
  }

  delete(key: ObjectKey): void {
    if (this.entries.delete(key)) this.order = undefined;
  }

  /** Byte order of `namespace/name`. */
  keys(): readonly ObjectKey[] {
    this.order ??= [...this.entries.keys()].sort();
    return this.order;
  }

  /** In key order; of one namespace when named. */
  *list(namespace?: string): IterableIterator<KubeObject> {
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
}

/** Index of the first key that is not below the given one. */
export function firstNotBelow(keys: readonly string[], key: string): number {
  return countWhile(keys, (each) => each < key);
}
