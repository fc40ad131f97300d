import { countWhile, type KubeObject, type ObjectKey } from '#libs/kernel';

/** What objects are found by: the text that one of them has; undefined: it has none. */
export type IndexedValue = (object: KubeObject) => string | undefined;

const none: readonly ObjectKey[] = [];

/** The keys of a table's objects by a value of theirs, each list in the order of keys. */
export class ObjectIndex {
  private readonly keysByValue = new Map<string, ObjectKey[]>();
  /** Changes since somebody last asked. */
  unread = 0;

  constructor(private readonly valueOf: IndexedValue) {}

  /** An object has come, changed or gone. */
  change(key: ObjectKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.unread++;
    const from = before && this.valueOf(before);
    const to = after && this.valueOf(after);
    if (from === to) return;
    if (from !== undefined) this.remove(from, key);
    if (to !== undefined) this.add(to, key);
  }

  keys(value: string): readonly ObjectKey[] {
    this.unread = 0;
    return this.keysByValue.get(value) ?? none;
  }

  private add(value: string, key: ObjectKey): void {
    const keys = this.keysByValue.get(value);
    if (!keys) this.keysByValue.set(value, [key]);
    else if ((keys[keys.length - 1] as ObjectKey) < key) keys.push(key);
    else keys.splice(placeOf(keys, key), 0, key);
  }

  private remove(value: string, key: ObjectKey): void {
    const keys = this.keysByValue.get(value) as ObjectKey[];
    if (keys.length === 1) this.keysByValue.delete(value);
    else keys.splice(placeOf(keys, key), 1);
  }
}

function placeOf(keys: readonly ObjectKey[], key: ObjectKey): number {
  return countWhile(keys, (each) => each < key);
}
