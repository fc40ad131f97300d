import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { dropNulls, prune, type Schema } from '../schema';
import { ordered } from './ordered';

/** A copy of an object without what a version does not know, its fields in order. */
export function knownOf(schema: Schema, object: KubeObject | JsonObject): KubeObject {
  const draft = ordered(object as unknown as Json) as JsonObject;
  prune(schema, draft);
  dropNulls(schema, draft);
  return draft as unknown as KubeObject;
}
