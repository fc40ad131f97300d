import type { KubeObject, ObjectKey } from '#libs/kernel';
import { ObjectIndex, type IndexedValue } from './object-index';

/** Indices of one table; whoever wants another one takes the place of the one that was made first. */
const indicesMax = 16;
/** An index that nobody has asked in so many changes is let go. */
const unreadMax = 100_000;

/**
 * The indices of one table. Each is made the second time that it is asked for: a table that is looked at once (of the past, say) is walked
 * through faster than it is indexed.
 */
export class TableIndices {
  private readonly indices = new Map<string, ObjectIndex>();
  private askedOnce: string[] = [];

  get(name: string, valueOf: IndexedValue, objects: () => Iterable<readonly [ObjectKey, KubeObject]>): ObjectIndex | undefined {
    const known = this.indices.get(name);
    if (known) return known;
    if (!this.askedOnce.includes(name)) {
      this.askedOnce = [...this.askedOnce.slice(1 - indicesMax), name];
      return undefined;
    }
    const index = new ObjectIndex(valueOf);
    for (const [key, object] of objects()) index.change(key, undefined, object);
    index.unread = 0;
    const [oldest] = this.indices.keys();
    if (this.indices.size === indicesMax) this.indices.delete(oldest as string);
    this.indices.set(name, index);
    return index;
  }

  change(key: ObjectKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const [name, index] of this.indices) {
      index.change(key, before, after);
      if (index.unread > unreadMax) this.indices.delete(name);
    }
  }
}
