import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { asResource, isMetaField, propertyOf, valuesOf, type Schema } from './schema';

/**
 * Takes from an object what its schema does not specify, in place. Of whole objects (the root, what is embedded) `apiVersion`, `kind` and
 * `metadata` stay. Without a schema nothing else does.
 * @returns what was taken, sorted: `spec.parts[0].colour`
 */
export function prune(schema: Schema | undefined, draft: JsonObject): string[] {
  const unknown: string[] = [];
  pruneValue(asResource(schema), draft, '', unknown);
  return unknown.sort();
}

export function pruneValue(schema: Schema | undefined, value: Json, path: string, unknown: string[]): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => pruneItem(schema, item, `${path}[${index}]`, unknown));
    return;
  }
  if (!isObject(value)) return;
  const keepsUnknown = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  for (const name of Object.keys(value)) {
    if (schema?.['x-kubernetes-embedded-resource'] && isMetaField(name)) continue;
    const at = path === '' ? name : `${path}.${name}`;
    const known = schema && propertyOf(schema, name);
    if (known) pruneValue(known, value[name] as Json, at, unknown);
    else if (schema?.additionalProperties) pruneValue(valuesOf(schema), value[name] as Json, at, unknown);
    else if (!keepsUnknown) {
      unknown.push(at);
      delete value[name];
    }
  }
}

/** The items of a list whose unknown fields are kept are looked at by what the schema says of them, and keep theirs too. */
function pruneItem(schema: Schema | undefined, item: Json, path: string, unknown: string[]): void {
  const items = schema?.items;
  if (schema?.['x-kubernetes-preserve-unknown-fields'] !== true) pruneValue(items, item, path, unknown);
  else if (items) pruneValue({ ...items, 'x-kubernetes-preserve-unknown-fields': true }, item, path, unknown);
}
