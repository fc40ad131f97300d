import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { goTypeOfJson } from '../patch/go-print';
import { aggregateText } from '../status/field-error';
import { validateAnnotations } from '../validation/metadata';
import { validateLabelMap } from '../selectors/object-selector';
import type { Errors } from '../validation/values';

const mayChange = ['labels', 'annotations'] as const;

/** The metadata that an object keeps while it is converted, with the labels and annotations that the webhook gives it; or what is wrong with these. */
export function restoredMetadata(original: JsonObject, converted: Json | undefined): JsonObject | string {
  if (converted === undefined) return 'missing metadata in converted object';
  if (!isObject(converted)) return `invalid metadata of type ${goTypeOfJson(converted)} in converted object`;
  const restored = keptMetadata(original);
  for (const field of mayChange) {
    const given = converted[field];
    if (given === undefined || given === null) continue;
    if (!isObject(given)) return `invalid metadata.${field} of type ${goTypeOfJson(given)} in converted object`;
    for (const [key, value] of Object.entries(given))
      if (typeof value !== 'string')
        return `metadata.${field}[${key}] must be a string, but is ${goTypeOfJson(value as Json)} in converted object`;
    const wrong = isSame(original[field], given) ? undefined : problemOf(field, given as Record<string, string>);
    if (wrong !== undefined) return wrong;
    restored[field] = given;
  }
  return restored;
}

/** What of the metadata no webhook changes. */
export function keptMetadata({ labels: _labels, annotations: _annotations, ...kept }: JsonObject): JsonObject {
  return kept;
}

export function metadataOf({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) ? metadata : {};
}

function isSame(before: Json | undefined, given: JsonObject): boolean {
  const old = isObject(before) ? before : {};
  const keys = Object.keys(given);
  return keys.length === Object.keys(old).length && keys.every((key) => old[key] === given[key]);
}

function problemOf(field: (typeof mayChange)[number], given: Record<string, string>): string | undefined {
  const errors: Errors = [];
  if (field === 'labels') errors.push(...validateLabelMap(given, 'metadata.labels'));
  else validateAnnotations(given, 'metadata.annotation', errors);
  return errors.length > 0 ? aggregateText(errors) : undefined;
}
