import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { goPrint, goTypeOfJson } from '../../patch/go-print';
import { fieldsOfPath } from '../../strategy/scale';

/** What stands at a path of plain fields, or why it cannot be reached in Go's words. */
export type Nested = { readonly value: Json | undefined } | { readonly error: string };

/** @param wanted Go's name of the type that the value has to be of */
export function nestedValue(object: KubeObject | JsonObject, path: string, wanted: 'int64' | 'string'): Nested {
  const fields = fieldsOfPath(path);
  let value: Json | undefined = object as unknown as Json;
  for (const [index, field] of fields.entries()) {
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value)) return { error: accessorError(fields.slice(0, index + 1), value, 'map[string]interface{}') };
    value = Object.hasOwn(value, field) ? value[field] : undefined;
    if (value === undefined) return { value: undefined };
  }
  return goTypeOfJson(value as Json) === wanted ? { value } : { error: accessorError(fields, value as Json, wanted) };
}

function accessorError(fields: readonly string[], value: Json, wanted: string): string {
  return `.${fields.join('.')} accessor error: ${goPrint(value)} is of the type ${goTypeOfJson(value)}, expected ${wanted}`;
}
