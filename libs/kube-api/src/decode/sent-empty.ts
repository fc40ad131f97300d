import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Definition, TypeRef } from '../schema';

/** The object as if it had been sent with an empty list or map, beside its metadata, where it has none; undefined: there is no place for one. */
export function sentWithEmpty(of: Definition, object: KubeObject): KubeObject | undefined {
  const { metadata, ...wish } = object as KubeObject & JsonObject;
  const sent = structWithEmpty(of, wish as JsonObject, new Set(['metadata']));
  return sent && ({ ...sent, metadata } as unknown as KubeObject);
}

function structWithEmpty(of: Definition, object: JsonObject, left: ReadonlySet<string> = new Set()): JsonObject | undefined {
  for (const { name, ref, pointer } of of.fields) {
    if (left.has(name)) continue;
    const value = object[name];
    const sent = value === undefined || value === null ? (pointer ? undefined : emptyOf(ref)) : valueWithEmpty(ref, value);
    if (sent !== undefined) return { ...object, [name]: sent };
  }
  return undefined;
}

function emptyOf({ type }: TypeRef): Json | undefined {
  return type === 'list' ? [] : type === 'map' ? {} : undefined;
}

function valueWithEmpty(ref: TypeRef, value: Json): Json | undefined {
  if (ref.type === 'struct') return isObject(value) ? structWithEmpty(ref.of, value) : undefined;
  if (ref.type !== 'list' || !Array.isArray(value)) return undefined;
  for (const [index, item] of value.entries()) {
    const sent = valueWithEmpty(ref.item, item);
    if (sent !== undefined) return value.with(index, sent);
  }
  return undefined;
}
