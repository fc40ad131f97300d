import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import type { BodyKind } from '../kinds/resource-kind';
import type { Definition } from '../schema';
import { convert, convertExactly } from './convert';

/**
 * The object exactly as the API writes it: known fields in the struct's order, zero structs present (`status: {}`,
 * `resources: {}`), empty values absent. Given what the API itself has made, nothing is lost. Returns a new object.
 */
export function toWireForm(of: Definition, object: KubeObject): KubeObject {
  return convert(of, object as unknown as JsonObject).object as unknown as KubeObject;
}

/** As Go holds the object before it writes it: with empty lists and maps. */
export function toExactForm(of: Definition, object: KubeObject): KubeObject {
  return convertExactly(of, object as unknown as JsonObject) as unknown as KubeObject;
}

/** As `toWireForm`, by the kind's schema; where nobody says how objects of the kind look, it is returned as it is. */
export function wireFormOf({ schema }: BodyKind, object: KubeObject): KubeObject {
  return schema ? toWireForm(schema, object) : object;
}

/** A part of an object (a spec, a status) in wire form. */
export function partInWireForm(of: Definition, part: Json): JsonObject {
  return convert(of, (part ?? {}) as JsonObject).object;
}
