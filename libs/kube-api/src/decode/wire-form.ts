import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { schemaOf } from '../schema';
import type { Definition, GroupVersionKind } from '../schema';
import { convert } from './convert';

/**
 * The object exactly as the API writes it: known fields in the struct's order, zero structs present (`status: {}`,
 * `resources: {}`), empty values absent. Given what the API itself has made, nothing is lost. Returns a new object.
 */
export function toWireForm(of: Definition, object: KubeObject): KubeObject {
  return convert(of, object as unknown as JsonObject).object as unknown as KubeObject;
}

/** As `toWireForm`, finding the definition by kind; objects of unknown kinds are returned as they are. */
export function wireFormOf(gvk: GroupVersionKind, object: KubeObject): KubeObject {
  const found = schemaOf(gvk);
  return found ? toWireForm(found, object) : object;
}

/** A part of an object (a spec, a status) in wire form. */
export function partInWireForm(of: Definition, part: Json): JsonObject {
  return convert(of, (part ?? {}) as JsonObject).object;
}
