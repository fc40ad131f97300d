import type { Json, JsonObject } from '#libs/kernel';
import { isObject, jsonEqual } from '#libs/kernel';
import { FieldSet } from './field-set';
import { elementOf } from './list-elements';
import { fieldElement, type PathElement } from './path-element';
import { deduced, fieldType, resolved, type DeducedType, type ListType, type MapType, type StructType, type ValueType } from './value-type';

/** How one value differs from another one of the type; no field is in two of these. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

type Value = Json | undefined;
type KnownType = Exclude<ValueType, DeducedType>;

/** What of `after` is new, other or gone as against `before`. */
export function compare(type: ValueType, before: Value, after: Value): Comparison {
  const walk = new CompareWalk();
  walk.value(type, before, after);
  return walk;
}

class CompareWalk implements Comparison {
  readonly added = new FieldSet();
  readonly modified = new FieldSet();
  readonly removed = new FieldSet();
  private readonly path: PathElement[] = [];

  value(type: ValueType, before: Value, after: Value): void {
    // Objects share what did not change.
    if (before === after) return;
    const [left, right] = [resolved(type, before), resolved(type, after)];
    let isLeaf: boolean;
    if (after === undefined) isLeaf = this.known(left, before, after);
    else {
      if (before !== undefined && left !== right) this.known(left, before, after);
      isLeaf = this.known(right, before, after);
    }
    if (isLeaf) return;
    if (before === undefined) this.added.insert(this.path);
    else if (after === undefined) this.removed.insert(this.path);
  }

  /** Whether the value was compared as a whole. */
  private known(type: KnownType, before: Value, after: Value): boolean {
    switch (type.is) {
      case 'scalar':
        return this.leaf(before, after);
      case 'list': {
        const [left, right] = [listIn(before), listIn(after)];
        if (type.list === 'atomic' || (left.length === 0 && right.length === 0)) return this.leaf(before, after);
        this.items(type, left, right);
        return false;
      }
      default: {
        const [left, right] = [mapIn(before), mapIn(after)];
        if (type.atomic || (isEmpty(left) && isEmpty(right))) return this.leaf(before, after);
        this.fields(type, left, right);
        return false;
      }
    }
  }

  private leaf(before: Value, after: Value): true {
    if (before === undefined) this.added.insert(this.path);
    else if (after === undefined) this.removed.insert(this.path);
    else if (!jsonEqual(before, after)) this.modified.insert(this.path);
    return true;
  }

  private fields(type: StructType | MapType, before: JsonObject, after: JsonObject): void {
    for (const name of Object.keys(before)) {
      const old = before[name];
      if (old !== undefined)
        this.inside(fieldElement(name), fieldType(type, name), old, Object.hasOwn(after, name) ? after[name] : undefined);
    }
    for (const name of Object.keys(after)) {
      const value = after[name];
      if (value !== undefined && (!Object.hasOwn(before, name) || before[name] === undefined))
        this.inside(fieldElement(name), fieldType(type, name), undefined, value);
    }
  }

  private items(type: ListType, before: readonly Json[], after: readonly Json[]): void {
    const [left, right] = [byElement(type, before), byElement(type, after)];
    for (const element of new Set([...left.keys(), ...right.keys()])) {
      const [old = [], now = []] = [left.get(element), right.get(element)];
      if (old.length <= 1 && now.length <= 1) this.inside(element, type.element, old[0], now[0]);
      else this.repeated(type, element, old, now);
    }
  }

  /** What is there more than once is one value; that it is so is a mark that comes and goes. */
  private repeated(type: ListType, element: PathElement, before: readonly Json[], after: readonly Json[]): void {
    const path = [...this.path, element];
    if (before.length >= 2 && after.length >= 2) {
      if (!jsonEqual(before, after)) this.modified.insert(path);
    } else if (before.length >= 2) {
      if (after.length > 0) this.inside(element, type.element, undefined, after[0]);
      this.removed.insert(path);
    } else {
      if (before.length > 0) this.inside(element, type.element, before[0], undefined);
      this.added.insert(path);
    }
  }

  private inside(element: PathElement, type: ValueType | undefined, before: Value, after: Value): void {
    this.path.push(element);
    this.value(type ?? deduced, before, after);
    this.path.pop();
  }
}

const nothing: JsonObject = {};

function listIn(value: Value): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function mapIn(value: Value): JsonObject {
  return isObject(value) ? value : nothing;
}

function isEmpty(map: JsonObject): boolean {
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}

function byElement(type: ListType, list: readonly Json[]): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of list) {
    const element = elementOf(type, item);
    const known = found.get(element);
    if (known) known.push(item);
    else found.set(element, [item]);
  }
  return found;
}
