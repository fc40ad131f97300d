import type { JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { FieldSet } from './field-set';
import { readElement, type PathElement } from './path-element';

/** The set as `fieldsV1`: `.` marks a member that has something inside, `{}` one that has nothing. */
export function toFieldsV1(set: FieldSet): JsonObject {
  return JSON.parse(fieldsText(set)) as JsonObject;
}

/** The same as JSON text; equal sets have equal texts. */
export function fieldsText(set: FieldSet): string {
  const { members, children } = set;
  const elements: PathElement[] = [...members];
  for (const element of children.keys()) if (!members.has(element)) elements.push(element);
  let text = '';
  for (const element of elements.sort()) {
    const child = children.get(element);
    const inside = child ? fieldsText(child) : '{}';
    // Nothing of the set is in there.
    if (inside === '{}' && !members.has(element)) continue;
    const marked = inside !== '{}' && members.has(element) ? `{".":{},${inside.slice(1)}` : inside;
    text += `${text === '' ? '' : ','}${quoted(element)}:${marked}`;
  }
  return `{${text}}`;
}

/** Most are names. */
function quoted(element: PathElement): string {
  return /^[\w:./-]+$/.test(element) ? `"${element}"` : JSON.stringify(element);
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
