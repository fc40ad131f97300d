import { jsonEqual, type Json, type JsonObject } from '#libs/kernel';
import { compare } from './compare';
import { conflictsOf, type Conflict } from './conflicts';
import { FieldSet } from './field-set';
import { withoutServersOwn } from './field-filter';
import { fieldsOf } from './fields-of';
import { identityOf, type ManagerEntry, type Managers } from './managers';
import { merge } from './merge';
import { removeFields } from './remove-fields';
import { dispossessed, filtered, fitted, writerOf, type Tracking, type Writing } from './track-update';
import { withNamedFields } from './typed-sets';

/** What an apply makes of an object, before defaults, admission and the kind's strategy. */
export interface Applied {
  /** The same object as before where nothing changed. */
  readonly object: JsonObject;
  readonly managers: Managers;
}

/**
 * The object with what the configuration says, without what its manager said before, says no more and nobody else owns; and who owns what
 * then. Conflicts with others are the answer, unless it is forced: then they own it no more. The configuration fits the type.
 */
export function applyConfig(
  tracking: Tracking,
  managers: Managers,
  live: JsonObject,
  config: JsonObject,
  writing: Writing,
  force: boolean,
): Applied | readonly Conflict[] {
  const { type, apiVersion, filter } = tracking;
  const known = fitted(tracking, managers);
  const merged = (merge(type, live, config) ?? {}) as JsonObject;
  const writer = writerOf(writing, apiVersion);
  const id = identityOf(writer);
  const last = known.get(id);
  const own: ManagerEntry = { ...writer, time: last?.time, fields: filter(fieldsOf(type, config)) };
  const claimed: Managers = new Map(known).set(id, own);
  const object = (last ? pruned(tracking, merged, claimed, last.fields) : merged) as JsonObject;
  const changes = filtered(compare(type, live, object), filter);
  const changed = changes.modified.union(changes.added);
  if (!force) {
    const lost = [...claimed]
      .filter(([other]) => other !== id)
      .map(([, entry]) => [entry, entry.fields.intersection(changed)] as const)
      .filter(([, set]) => !set.isEmpty);
    if (lost.length > 0) return conflictsOf(lost);
  }
  const result = dispossessed(claimed, changes, id);
  const isChanged = !jsonEqual(live, object);
  const fields = withoutServersOwn(own.fields);
  if (fields.isEmpty) result.delete(id);
  else result.set(id, { ...own, ...(isChanged ? { time: writing.time } : {}), fields });
  return { object: isChanged ? object : live, managers: result };
}

/** Without what the manager owned and did not say this time, but for what others own, or nobody did. */
function pruned({ type }: Tracking, merged: Json, managers: Managers, last: FieldSet): Json {
  const named = (set: FieldSet): FieldSet => withNamedFields(type, set);
  const mergedSet = named(fieldsOf(type, merged));
  const lastSet = named(last);
  let owned = new FieldSet();
  for (const { fields } of managers.values()) owned = owned.union(fields);
  const removed = removeFields(type, merged, lastSet);
  const kept = named(fieldsOf(type, removed)).union(named(owned));
  const withOwned = removeFields(type, merged, mergedSet.difference(kept));
  const dangling = named(fieldsOf(type, withOwned));
  return removeFields(type, merged, mergedSet.difference(dangling).intersection(lastSet));
}
