import { FieldSet, type FieldPath } from './field-set';
import { fieldName, type PathElement } from './path-element';
import { fieldType, type ValueType } from './value-type';

/** The set with every declared field that has something of it inside: so a struct goes with the last of its fields. */
export function withNamedFields(type: ValueType | undefined, set: FieldSet): FieldSet {
  const result = new FieldSet();
  for (const member of set.members) result.members.add(member);
  for (const [element, child] of set.children) {
    const name = fieldName(element);
    if (name !== undefined && type?.is === 'struct' && type.field(name)) result.members.add(element);
    result.children.set(element, withNamedFields(insideOf(type, element), child));
  }
  return result;
}

function insideOf(type: ValueType | undefined, element: PathElement): ValueType | undefined {
  const name = fieldName(element);
  if (type?.is === 'deduced') return type;
  if (name === undefined) return type?.is === 'list' ? type.element : undefined;
  return type?.is === 'struct' || type?.is === 'map' ? fieldType(type, name) : undefined;
}

/** A set that was written when the type was another one: of what is one value by now, the whole is owned by who owned a part. */
export function fittedTo(type: ValueType, set: FieldSet): FieldSet {
  if (!hasInsideOfAtomic(type, set)) return set;
  const result = new FieldSet();
  for (const member of set.members) result.members.add(member);
  for (const [element, child] of set.children) {
    const inside = insideOf(type, element);
    if (inside && isAtomic(inside)) result.members.add(element);
    else result.children.set(element, inside ? fittedTo(inside, child) : child);
  }
  return result;
}

/** A path of the set that is none of the type; undefined: there is none. */
export function undeclared(type: ValueType, set: FieldSet, prefix: FieldPath = []): FieldPath | undefined {
  for (const element of new Set([...set.members, ...set.children.keys()])) {
    const path = [...prefix, element];
    const inside = insideOf(type, element);
    if (!inside) return path;
    const child = set.children.get(element);
    const found = child && undeclared(inside, child, path);
    if (found) return found;
  }
  return undefined;
}

function isAtomic(type: ValueType): boolean {
  if (type.is === 'list') return type.list === 'atomic';
  return (type.is === 'struct' || type.is === 'map') && type.atomic;
}

function hasInsideOfAtomic(type: ValueType, set: FieldSet): boolean {
  for (const [element, child] of set.children) {
    const inside = insideOf(type, element);
    if (inside && (isAtomic(inside) ? !child.isEmpty : hasInsideOfAtomic(inside, child))) return true;
  }
  return false;
}
