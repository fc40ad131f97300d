import type { JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { setOwn } from '../decode';
import { FieldSet } from './field-set';
import { compareElements, readElement, type PathElement } from './path-element';

/** The set as `fieldsV1`: `.` marks a member that has something inside, `{}` one that has nothing. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const fields: JsonObject = {};
  const elements = new Set<PathElement>(set.members);
  for (const [element, child] of set.children) if (!child.isEmpty) elements.add(element);
  for (const element of [...elements].sort(compareElements)) {
    const child = set.children.get(element);
    const inside = child && !child.isEmpty ? toFieldsV1(child) : {};
    setOwn(fields, element, child && !child.isEmpty && set.members.has(element) ? { '.': {}, ...inside } : inside);
  }
  return fields;
}

/** @throws SyntaxError where an element cannot be read */
export function fromFieldsV1(fields: JsonObject | undefined): FieldSet {
  const set = new FieldSet();
  for (const [text, inside] of Object.entries(fields ?? {})) {
    const element = text === '.' ? undefined : readElement(text);
    if (element === undefined) continue;
    const child = isObject(inside) ? inside : {};
    const sub = fromFieldsV1(child);
    const hasInside = sub.members.size > 0 || sub.children.size > 0;
    if (!hasInside || Object.hasOwn(child, '.')) set.members.add(element);
    if (hasInside) set.children.set(element, sub);
  }
  return set;
}
