import { isObject, jsonEqual } from '#libs/kernel';

/** Values of any form: an empty one is a value. */
const free = new Set(['default', 'example']);
/** Maps: an empty one is as good as none. */
const maps = new Set(['properties', 'patternProperties', 'dependencies', 'definitions']);

function isNone(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return maps.has(field) && isObject(value) && Object.keys(value).length === 0;
}

/** Whether parts of a definition are the same to the server; absent switches and empty texts are as false and ''. */
export function heldEqual(a: unknown, b: unknown, field = ''): boolean {
  if (a === b) return true;
  if (free.has(field)) return jsonEqual(a ?? null, b ?? null);
  if (isNone(a, field) || isNone(b, field)) return isNone(a, field) && isNone(b, field);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => heldEqual(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  // Below a map names are names, whatever they are.
  return [...names].every((name) => heldEqual(a[name], b[name], maps.has(field) ? '' : name));
}
