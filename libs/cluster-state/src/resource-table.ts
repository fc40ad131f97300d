import { countWhile, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';

/** The objects of one resource, by key. Keys come back in etcd's order, sorted once and kept until a key comes or goes. */
export class ResourceTable {
  readonly objects = new Map<ObjectKey, KubeObject>();
  private order: ObjectKey[] | undefined;

  constructor(readonly resource: GroupResource) {}

  get(key: ObjectKey): KubeObject | undefined {
    return this.objects.get(key);
  }

  set(key: ObjectKey, object: KubeObject): void {
    if (!this.objects.has(key)) this.order = undefined;
    this.objects.set(key, object);
  }

  delete(key: ObjectKey): void {
    if (this.objects.delete(key)) this.order = undefined;
  }

  /** Byte order of `namespace/name`. */
  keys(): readonly ObjectKey[] {
    this.order ??= [...this.objects.keys()].sort();
    return this.order;
  }

  /** In key order; of one namespace when named. */
  *list(namespace?: string): IterableIterator<KubeObject> {
    const keys = this.keys();
    if (!namespace) {
      for (const key of keys) yield this.objects.get(key) as KubeObject;
      return;
    }
    const prefix = `${namespace}/`;
    for (let i = firstNotBelow(keys, prefix); i < keys.length && (keys[i] as string).startsWith(prefix); i++) {
      yield this.objects.get(keys[i] as string) as KubeObject;
    }
  }
}

/** Index of the first key that is not below the given one. */
export function firstNotBelow(keys: readonly string[], key: string): number {
  return countWhile(keys, (each) => each < key);
}
