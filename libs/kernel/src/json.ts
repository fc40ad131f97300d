/** JSON as the API and the log carry it. Treated as immutable everywhere: a change makes a new object. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Structural equality; an absent key and an `undefined` one are the same. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  // Statuses are compared at every look at a pod: no lists of keys are made.
  for (const key in left) if (!jsonEqual(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}

/** Sets an own property, also for a key such as `__proto__`, which plain assignment would take for the prototype. */
export function setOwn(target: object, key: string | number, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else (target as Record<string | number, unknown>)[key] = value;
}

/** The own property of that key; undefined where there is none, whatever the prototype has. */
export function ownValue(object: object, key: string | number): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string | number, unknown>)[key] : undefined;
}
