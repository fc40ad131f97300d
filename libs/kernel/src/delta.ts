import { isObject, ownValue, setOwn, type Json, type JsonObject } from './json';

/** How logs of version 0.1.0 say a change: set the place to `v`, or remove it when `v` is absent. */
export interface DeltaStep {
  /** Object keys and array indices from the root. An index equal to the array's length appends. */
  p: (string | number)[];
  v?: Json;
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
