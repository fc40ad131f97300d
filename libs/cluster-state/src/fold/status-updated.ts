import { applyPatch, formatTime, ownValue, setOwn, type Json, type JsonObject, type JsonPatch, type KubeObject } from '#libs/kernel';
import type { Condition } from '../conditions';

/** Payload of StatusUpdated, version 2. */
export interface StatusUpdate {
  conditions?: JsonObject[];
  patch?: JsonPatch;
}

/** The object with its conditions, and whatever else of it, as the update says. @param time of the event, ms */
export function withStatusUpdate(object: KubeObject, { conditions, patch }: StatusUpdate, time: number): KubeObject {
  const changed = conditions ? withChangedConditions(object, conditions, formatTime(time)) : object;
  return patch ? applyPatch(changed, patch) : changed;
}

function withChangedConditions(object: KubeObject, changes: readonly JsonObject[], time: string): KubeObject {
  const conditions = ((object.status?.conditions as Condition[] | undefined) ?? []).slice();
  for (const change of changes) {
    const place = conditions.findIndex(({ type }) => type === change.type);
    if (place < 0) conditions.push(change as Condition);
    else conditions[place] = changedCondition(conditions[place] as Condition, change, time);
  }
  return { ...object, status: { ...object.status, conditions } };
}

function changedCondition(old: Condition, change: JsonObject, time: string): Condition {
  const next: JsonObject = { ...old };
  for (const key of Object.keys(change)) {
    const value = ownValue(change, key);
    if (value === null) delete next[key];
    else setOwn(next, key, value);
  }
  const flips = change.status !== undefined && change.lastTransitionTime === undefined && old.lastTransitionTime !== undefined;
  if (flips) next.lastTransitionTime = time;
  return next as Condition;
}

/**
 * What `withStatusUpdate` makes `after` of the conditions before; undefined where it cannot: a condition has gone or stands elsewhere, two are of
 * one type, a field became null.
 */
export function conditionChanges(before: readonly Json[], after: readonly Json[], time: number): JsonObject[] | undefined {
  if (after.length < before.length || !areOfDifferentTypes(after)) return undefined;
  const changes: JsonObject[] = [];
  for (const [place, condition] of (after as readonly Condition[]).entries()) {
    if (place >= before.length) {
      changes.push(condition);
      continue;
    }
    const old = before[place] as Condition;
    if (old === condition) continue;
    const change = old?.type === condition.type ? conditionChange(old, condition, formatTime(time)) : undefined;
    if (!change) return undefined;
    if (Object.keys(change).length > 1) changes.push(change);
  }
  return changes;
}

function areOfDifferentTypes(conditions: readonly Json[]): boolean {
  const types = new Set<string>();
  for (const condition of conditions as readonly (Condition | null)[]) {
    if (typeof condition?.type !== 'string') return false;
    types.add(condition.type);
  }
  return types.size === conditions.length;
}

function conditionChange(old: Condition, next: Condition, time: string): JsonObject | undefined {
  const change: JsonObject = { type: next.type };
  for (const key of Object.keys(old)) if (ownValue(next, key) === undefined && ownValue(old, key) !== undefined) setOwn(change, key, null);
  for (const key of Object.keys(next)) {
    const value = ownValue(next, key);
    if (value === undefined || value === ownValue(old, key)) continue;
    if (value === null || typeof value === 'object') return undefined;
    setOwn(change, key, value);
  }
  if (change.status === undefined || old.lastTransitionTime === undefined) return change;
  if (next.lastTransitionTime === null) return undefined;
  if (next.lastTransitionTime === time) delete change.lastTransitionTime;
  else if (change.lastTransitionTime === undefined) change.lastTransitionTime = next.lastTransitionTime;
  return change;
}
