import { isObject, type JsonObject } from '#libs/kernel';

/** JSON with sorted keys: equal for what is equal. Of values that are absent nothing is said. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const fields = value as JsonObject;
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`)
    .join(',')}}`;
}
