import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { setOwn } from '../decode';
import type { FieldSet } from './field-set';
import { elementOf } from './list-elements';
import { fieldElement } from './path-element';
import { deduced, fieldType, resolved, type ListType, type MapType, type StructType, type ValueType } from './value-type';

/** A value without the fields and elements of a set. What had something removed from inside and has nothing left is null. */
export function removeFields(type: ValueType, value: Json, fields: FieldSet): Json {
  const known = resolved(type, value);
  if (known.is === 'scalar') return value;
  if (known.is === 'list') return Array.isArray(value) && known.list !== 'atomic' ? withoutItems(known, value, fields) : null;
  return isObject(value) && !known.atomic ? withoutFields(known, value, fields) : null;
}

function withoutItems(type: ListType, list: readonly Json[], fields: FieldSet): Json {
  const kept: Json[] = [];
  for (const item of list) {
    const element = elementOf(type, item);
    if (fields.members.has(element)) continue;
    const inside = fields.children.get(element);
    kept.push(inside && !inside.isEmpty ? removeFields(type.element, item, inside) : item);
  }
  return kept.length > 0 ? kept : null;
}

function withoutFields(type: StructType | MapType, map: JsonObject, fields: FieldSet): Json {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(map)) {
    const element = fieldElement(name);
    if (value === undefined || fields.members.has(element)) continue;
    const inside = fields.children.get(element);
    setOwn(kept, name, inside && !inside.isEmpty ? removeFields(fieldType(type, name) ?? deduced, value, inside) : value);
  }
  return Object.keys(kept).length > 0 ? kept : null;
}
