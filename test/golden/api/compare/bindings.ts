// The values our server gave where the recording has numbered placeholders, within one recording.

interface ListVersion {
  number: number;
  value: bigint;
}

/** Whether two numbers of `<rv:N>` keep no order (see left-open.ts). */
export type Unordered = (a: number, b: number) => boolean;

/**
 * Binds placeholders while answers are compared. Every binding can be taken back (`mark`, `rollback`), since an element of an
 * unordered list is tried against several.
 */
export class Bindings {
  private readonly values = new Map<string, string>();
  private readonly owners = new Map<string, string>();
  private readonly versions = new Map<number, bigint>();
  private readonly listVersions: ListVersion[] = [];
  private readonly latest = new Map<string, string>();
  private readonly undo: (() => void)[] = [];
  private readonly unordered: Unordered;

  constructor(unordered: Unordered = () => false) {
    this.unordered = unordered;
  }

  mark(): number {
    return this.undo.length;
  }

  rollback(mark: number): void {
    while (this.undo.length > mark) this.undo.pop()?.();
  }

  /** Equal numbers are equal values, different numbers different ones. Answers the reason when this does not hold. */
  same(kind: string, number: string, value: string): string | undefined {
    const key = `${kind}:${number}`;
    const bound = this.values.get(key);
    if (bound !== undefined) return bound === value ? undefined : `<${key}> was ${JSON.stringify(bound)} before`;
    const ownerKey = `${kind} ${value}`;
    const owner = this.owners.get(ownerKey);
    if (owner !== undefined) return `<${owner}> has this value already, <${key}> has to be another one`;
    this.values.set(key, value);
    this.owners.set(ownerKey, key);
    this.undo.push(() => {
      this.values.delete(key);
      this.owners.delete(ownerKey);
    });
    return undefined;
  }

  /** The resourceVersion of an object: equal numbers equal, and numbers keep the order of the values. */
  version(number: number, value: bigint): string | undefined {
    const bound = this.versions.get(number);
    if (bound !== undefined) return bound === value ? undefined : `<rv:${number}> was ${bound} before`;
    for (const [other, theirs] of this.versions) {
      if (this.unordered(number, other)) {
        if (theirs === value) return `<rv:${other}> has this value already`;
        continue;
      }
      if (other < number ? theirs >= value : theirs <= value) return `order: <rv:${other}> is ${theirs}`;
    }
    for (const list of this.listVersions) {
      if (this.unordered(number, list.number)) continue;
      if (list.number < number ? list.value >= value : list.value < value) {
        return `order: a list at <rv:${list.number}> had ${list.value}`;
      }
    }
    this.versions.set(number, value);
    this.undo.push(() => this.versions.delete(number));
    return undefined;
  }

  /**
   * The version a list (or a bookmark) was read at. It may be larger than that of the last write, so only order holds: not
   * before any write up to it, before every later write, and not before an earlier list.
   */
  listVersion(number: number, value: bigint): string | undefined {
    for (const [other, theirs] of this.versions) {
      if (this.unordered(number, other)) continue;
      if (other <= number ? theirs > value : theirs <= value) return `order: <rv:${other}> is ${theirs}`;
    }
    for (const list of this.listVersions) {
      if (list.number < number ? list.value > value : list.number > number && list.value < value) {
        return `order: a list at <rv:${list.number}> had ${list.value}`;
      }
    }
    this.listVersions.push({ number, value });
    this.undo.push(() => this.listVersions.pop());
    return undefined;
  }

  /** A value whose equality is left open; a request that names it gets the last one. */
  remember(kind: string, number: string, value: string): void {
    for (const key of [`${kind}:${number}`, kind]) {
      const before = this.latest.get(key);
      this.latest.set(key, value);
      this.undo.push(() => (before === undefined ? this.latest.delete(key) : this.latest.set(key, before)));
    }
  }

  /** What our server calls `<kind:number>`; for a version the object's own value goes before a list's. */
  valueOf(kind: string, number: string): string | undefined {
    if (kind !== 'rv') return this.values.get(`${kind}:${number}`) ?? this.latest.get(`${kind}:${number}`);
    const version = this.versions.get(Number(number));
    if (version !== undefined) return String(version);
    return this.listVersions.findLast((list) => list.number === Number(number))?.value.toString();
  }

  /** The last value of a kind bound by `remember`, whatever its number. */
  lastOf(kind: string): string | undefined {
    return this.latest.get(kind);
  }
}
