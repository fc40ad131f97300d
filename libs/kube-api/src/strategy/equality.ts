import type { KubeObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';

/** Fields that are maps: an empty one is written as none at all. (An empty struct, such as `emptyDir: {}`, says something.) */
const maps = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'limits',
  'requests',
  'overhead',
  'data',
  'binaryData',
  'capacity',
  'allocatable',
  'parameters',
]);

function absent(value: unknown, key: string): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return maps.has(key) && isObject(value) && Object.keys(value).length === 0;
}

/** Equality as the API sees it: absent, null, an empty list and an empty map are one. */
export function semanticEqual(a: unknown, b: unknown, key = ''): boolean {
  if (a === b) return true;
  const none = absent(a, key);
  if (none || absent(b, key)) return none && absent(b, key);
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => semanticEqual(item, b[index], key));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const field of Object.keys(left)) if (!semanticEqual(left[field], right[field], field)) return false;
  for (const field of Object.keys(right)) {
    if (!Object.hasOwn(left, field) && !absent(right[field], field)) return false;
  }
  return true;
}

/** Whether a write would leave the object as it is, but for its owners. */
export function isNoChange(old: KubeObject, updated: KubeObject, isSame: (a: unknown, b: unknown) => boolean = semanticEqual): boolean {
  const { metadata: oldMeta, ...oldRest } = old;
  const { metadata: newMeta, ...newRest } = updated;
  const { resourceVersion: _a, managedFields: _b, ...oldFields } = oldMeta;
  const { resourceVersion: _c, managedFields: _d, ...newFields } = newMeta;
  return isSame(oldFields, newFields) && isSame(oldRest, newRest);
}
