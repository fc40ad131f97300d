import { isObject, jsonEqual, ownValue, setOwn, type Json, type JsonObject } from './json';

/** One difference between two JSON values: set the place to `v`, or remove it when `v` is absent. */
export interface DeltaStep {
  /** Object keys and array indices from the root. An index equal to the array's length appends. */
  p: (string | number)[];
  v?: Json;
}
export type Delta = DeltaStep[];

/**
 * The steps that turn `before` into `after`, in order. Arrays of one length are compared element by element, a grown array
 * gets its new elements appended; any other change replaces the array whole. Unlike a merge patch it can say null.
 */
export function deltaOf(before: unknown, after: unknown): Delta {
  const steps: Delta = [];
  collect(before, after, [], steps);
  return steps;
}

/** `path` is one list for the whole walk: most of what is compared is equal, and only a step needs a path of its own. */
function collect(before: unknown, after: unknown, path: (string | number)[], steps: Delta): void {
  if (before === after) return;
  if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(before)) {
      if (before[key] !== undefined && ownValue(after, key) === undefined) steps.push({ p: [...path, key] });
    }
    for (const key of Object.keys(after)) {
      const value = after[key];
      const old = ownValue(before, key);
      if (value === undefined || value === old) continue;
      if (old === undefined) steps.push({ p: [...path, key], v: value });
      else collectAt(key, old, value, path, steps);
    }
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length > 0 && before.length <= after.length) {
    collectArray(before, after, path, steps);
    return;
  }
  if (!jsonEqual(before, after)) steps.push({ p: path.slice(), v: after as Json });
}

function collectAt(key: string | number, before: unknown, after: unknown, path: (string | number)[], steps: Delta): void {
  path.push(key);
  collect(before, after, path, steps);
  path.pop();
}

function collectArray(before: Json[], after: Json[], path: (string | number)[], steps: Delta): void {
  const inner: Delta = [];
  for (let i = 0; i < before.length; i++) collectAt(i, before[i], after[i], path, inner);
  const touched = new Set(inner.map((step) => step.p[path.length]));
  const shifted = before.some((item, i) => isAnother(item, after[i]));
  if (shifted || (touched.size * 2 > before.length && before.length > 1)) {
    steps.push({ p: path.slice(), v: after });
    return;
  }
  for (let i = before.length; i < after.length; i++) inner.push({ p: [...path, i], v: after[i] as Json });
  steps.push(...inner);
}

/** Elements of lists of named things (conditions, containers): another name or type is another element, not a changed one. */
function isAnother(before: Json | undefined, after: Json | undefined): boolean {
  return isObject(before) && isObject(after) && (before.type !== after.type || before.name !== after.name);
}

/** The value with the steps applied; what is untouched is shared with the old value, nothing is changed in place. */
export function applyDelta<T>(value: T, delta: readonly DeltaStep[]): T {
  let result: unknown = value;
  const owned = new Set<unknown>();
  for (const step of delta) result = applyStep(result, step, 0, owned);
  return result as T;
}

function copyOf(value: unknown, step: DeltaStep, depth: number, owned: Set<unknown>): JsonObject | Json[] {
  if (owned.has(value)) return value as JsonObject | Json[];
  let copy: JsonObject | Json[];
  if (Array.isArray(value)) copy = value.slice();
  else if (isObject(value)) copy = { ...value };
  else copy = typeof step.p[depth] === 'number' ? [] : {};
  owned.add(copy);
  return copy;
}

function applyStep(value: unknown, step: DeltaStep, depth: number, owned: Set<unknown>): unknown {
  if (depth === step.p.length) return step.v;
  const key = step.p[depth] as string | number;
  const copy = copyOf(value, step, depth, owned) as Record<string | number, unknown>;
  if (depth + 1 < step.p.length) setOwn(copy, key, applyStep(ownValue(copy, key), step, depth + 1, owned));
  else if (step.v === undefined) delete copy[key];
  else setOwn(copy, key, step.v);
  return copy;
}
