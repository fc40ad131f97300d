import { compareElements, type PathElement } from './path-element';

export type FieldPath = readonly PathElement[];

/**
 * A set of fields of an object: a tree of path elements, some of which are members. That a field is a member says nothing of what is inside
 * it, nor the other way round. Sets are built by `insert` and never changed once they are used; operations share what they leave as it is.
 */
export class FieldSet {
  /** Fields at this level that belong to the set. */
  readonly members = new Set<PathElement>();
  /** Fields with something of the set inside. */
  readonly children = new Map<PathElement, FieldSet>();

  static of(...paths: FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** The empty path, the object as a whole, is nobody's. */
  insert(path: FieldPath, from = 0): void {
    const element = path[from];
    if (element === undefined) return;
    if (from === path.length - 1) this.members.add(element);
    else this.descend(element).insert(path, from + 1);
  }

  get isEmpty(): boolean {
    if (this.members.size > 0) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  has(path: FieldPath, from = 0): boolean {
    const element = path[from];
    if (element === undefined) return false;
    return from === path.length - 1 ? this.members.has(element) : (this.children.get(element)?.has(path, from + 1) ?? false);
  }

  equals(other: FieldSet): boolean {
    return this === other || (this.difference(other).isEmpty && other.difference(this).isEmpty);
  }

  union(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const set of [this, other]) {
      for (const member of set.members) result.members.add(member);
      for (const [element, child] of set.children) {
        const known = result.children.get(element);
        result.children.set(element, known ? known.union(child) : child);
      }
    }
    return result;
  }

  intersection(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.members) if (other.members.has(member)) result.members.add(member);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs) result.add(element, child.intersection(theirs));
    }
    return result;
  }

  /** Without the members of the other one; what is inside them stays. */
  difference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.members) if (!other.members.has(member)) result.members.add(member);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      result.add(element, theirs ? child.difference(theirs) : child);
    }
    return result;
  }

  /** Without the members of the other one, and all that is inside them. */
  without(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.members) if (!other.members.has(member)) result.members.add(member);
    for (const [element, child] of this.children) {
      if (other.members.has(element)) continue;
      const theirs = other.children.get(element);
      result.add(element, theirs ? child.without(theirs) : child);
    }
    return result;
  }

  /** Calls `visit` for every member: those of a level in order, then what is inside them. */
  each(visit: (path: FieldPath) => void, prefix: FieldPath = []): void {
    for (const member of [...this.members].sort(compareElements)) visit([...prefix, member]);
    for (const element of [...this.children.keys()].sort(compareElements)) {
      (this.children.get(element) as FieldSet).each(visit, [...prefix, element]);
    }
  }

  /** The set inside an element, to insert into. */
  descend(element: PathElement): FieldSet {
    let child = this.children.get(element);
    if (!child) this.children.set(element, (child = new FieldSet()));
    return child;
  }

  private add(element: PathElement, child: FieldSet): void {
    if (!child.isEmpty) this.children.set(element, child);
  }
}
