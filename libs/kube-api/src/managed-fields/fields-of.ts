import type { Json } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { FieldSet } from './field-set';
import { elementOf } from './list-elements';
import { fieldElement, type PathElement } from './path-element';
import { deduced, fieldType, resolved, type ListType, type ValueType } from './value-type';

/** Every leaf of a value, and every element of its lists and maps. */
export function fieldsOf(type: ValueType, value: Json): FieldSet {
  const root = new FieldSet();
  collect(type, value, root, undefined);
  return root;
}

/** @param self the set and the element that stand for the value; absent: it is the object as a whole */
function collect(type: ValueType, value: Json, inside: FieldSet | (() => FieldSet), self: (() => void) | undefined): void {
  const known = resolved(type, value);
  const into = (): FieldSet => (typeof inside === 'function' ? inside() : inside);
  if (known.is === 'scalar' || (known.is === 'list' ? known.list === 'atomic' : known.atomic)) {
    self?.();
    return;
  }
  if (known.is === 'list') {
    if (Array.isArray(value)) collectList(known, value, into());
    return;
  }
  if (!isObject(value)) return;
  const set = into();
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const element = fieldElement(name);
    const of = fieldType(known, name);
    const member = (): void => void set.members.add(element);
    collect(of ?? deduced, item, () => set.descend(element), member);
    const isEmpty = item === null || (isObject(item) && Object.keys(item).length === 0);
    if (isEmpty || known.is === 'map' || !of) member();
  }
}

/** Of what is there more than once only that it is there is said. */
function collectList(type: ListType, list: readonly Json[], set: FieldSet): void {
  const counts = new Map<PathElement, number>();
  for (const item of list) {
    const element = elementOf(type, item);
    counts.set(element, (counts.get(element) ?? 0) + 1);
  }
  for (const item of list) {
    const element = elementOf(type, item);
    set.members.add(element);
    if ((counts.get(element) as number) > 1) continue;
    collect(
      type.element,
      item,
      () => set.descend(element),
      () => void set.members.add(element),
    );
  }
}
