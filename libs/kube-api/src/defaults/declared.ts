import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import type { Definition, TypeRef } from '../schema';

/** Whether a definition or one it leads to declares a default; most kinds have few, and whole branches can be passed over. */
const declares = new Map<Definition, boolean>();

function declaresAny(of: Definition): boolean {
  const known = declares.get(of);
  if (known !== undefined) return known;
  declares.set(of, false);
  const found = of.fields.some((field) => field.default !== undefined || refDeclares(field.ref));
  declares.set(of, found);
  return found;
}

function refDeclares(ref: TypeRef): boolean {
  if (ref.type === 'list') return refDeclares(ref.item);
  if (ref.type === 'map') return refDeclares(ref.value);
  return ref.type === 'struct' && declaresAny(ref.of);
}

/** Sets the defaults that the schema itself declares (`protocol: TCP`, `service: ""` of a gRPC probe) wherever their struct is present. */
export function setDeclaredDefaults(of: Definition, object: JsonObject): void {
  if (!declaresAny(of)) return;
  for (const field of of.fields) {
    const value = object[field.name];
    if (value !== undefined && value !== null) visit(field.ref, value);
    else if (field.default !== undefined) object[field.name] = field.default as Json;
  }
}

function visit(ref: TypeRef, value: Json): void {
  if (ref.type === 'struct') {
    if (isObject(value)) setDeclaredDefaults(ref.of, value);
  } else if (ref.type === 'list') {
    if (refDeclares(ref) && Array.isArray(value)) for (const item of value) visit(ref.item, item);
  } else if (ref.type === 'map' && refDeclares(ref) && isObject(value)) {
    for (const item of Object.values(value)) if (item !== undefined) visit(ref.value, item);
  }
}
