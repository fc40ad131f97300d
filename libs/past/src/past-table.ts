import { ResourceTable } from '#libs/cluster-state';
import type { GroupResource, KubeObject, ObjectKey } from '#libs/kernel';

/** A table as it was at a checkpoint, of which only what is asked for is read; and what was folded onto it since. */
export class PastTable extends ResourceTable {
  /**
   * @param directory keys and numbers of contents that have not been read or replaced yet; the table's own from now on
   * @param read gives the object of a number
   */
  constructor(
    resource: GroupResource,
    private readonly directory: Map<ObjectKey, number>,
    private readonly read: (content: number) => KubeObject,
  ) {
    super(resource);
  }

  override get objects(): ReadonlyMap<ObjectKey, KubeObject> {
    for (const key of this.directory.keys()) this.get(key);
    return super.objects;
  }

  override get(key: ObjectKey): KubeObject | undefined {
    const content = this.directory.get(key);
    if (content === undefined) return super.get(key);
    const object = this.read(content);
    this.set(key, object);
    return object;
  }

  override set(key: ObjectKey, object: KubeObject): void {
    // The key was there: the order of keys stays as it is.
    const { order } = this;
    const isKnown = this.directory.delete(key);
    super.set(key, object);
    if (isKnown) this.order = order;
  }

  override delete(key: ObjectKey): void {
    if (this.directory.delete(key)) this.order = undefined;
    super.delete(key);
  }

  protected override get isEmpty(): boolean {
    return this.directory.size === 0 && super.isEmpty;
  }

  protected override move(): void {
    this.order = undefined;
  }

  override keys(): readonly ObjectKey[] {
    this.order ??= [...this.directory.keys(), ...super.objects.keys()].sort();
    return this.order;
  }

  /** What is kept elsewhere is not read to be found by its values. */
  override keysWith(): undefined {
    return undefined;
  }
}
