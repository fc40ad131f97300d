import { isObject, jsonEqual, type Json, type JsonObject } from '#libs/kernel';
import { compare } from './compare';
import { conflictsOf, type Conflict } from './conflicts';
import { FieldSet } from './field-set';
import { withoutServersOwn } from './field-filter';
import { fieldsOf } from './fields-of';
import { identityOf, type ManagerEntry, type Managers } from './managers';
import { merge } from './merge';
import { removeFields } from './remove-fields';
import { changesIn, dispossessed, filtered, fitted, writerOf, type OtherForm, type Tracking, type Writing } from './track-update';
import { withNamedFields } from './typed-sets';
import type { ValueType } from './value-type';

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
  const object = (last ? pruned(tracking, merged, claimed, last) : merged) as JsonObject;
  const changes = filtered(compare(type, live, object), filter);
  const inVersion = changesIn(tracking, live, object, changes);
  if (!force) {
    const lost = [...claimed]
      .filter(([other]) => other !== id)
      .map(([, entry]) => {
        const { modified, added } = inVersion(entry.apiVersion);
        return [entry, entry.fields.intersection(modified.union(added))] as const;
      })
      .filter(([, set]) => !set.isEmpty);
    if (lost.length > 0) return conflictsOf(lost);
  }
  const result = dispossessed(claimed, inVersion, id);
  const isChanged = !jsonEqual(live, object);
  const fields = withoutServersOwn(own.fields);
  if (fields.isEmpty) result.delete(id);
  else result.set(id, { ...own, ...(isChanged ? { time: writing.time } : {}), fields });
  return { object: isChanged ? object : live, managers: result };
}

/** Without what the manager owned and did not say this time, but for what others own, or nobody did. */
function pruned(tracking: Tracking, merged: JsonObject, managers: Managers, last: ManagerEntry): Json {
  const form = formOf(tracking, last.apiVersion);
  const whole = form.from(merged);
  const lastSet = withNamedFields(form.type, last.fields);
  const removed = removeFields(form.type, whole, lastSet);
  let kept = form.back(asObject(removed));
  for (const version of new Set([last.apiVersion, ...[...managers.values()].map(({ apiVersion }) => apiVersion)]))
    kept = withOwned(formOf(tracking, version), merged, kept, managers);
  const { named, set } = setsOf(form.type);
  const dangling = set(whole)
    .difference(set(form.from(kept)))
    .intersection(named(last.fields));
  return form.back(asObject(removeFields(form.type, whole, dangling)));
}

/** With what the owners of one version own of what has been removed. */
function withOwned(form: Form, merged: JsonObject, kept: JsonObject, managers: Managers): JsonObject {
  const { named, set } = setsOf(form.type);
  let owned = new FieldSet();
  for (const { apiVersion, fields } of managers.values()) if (apiVersion === form.apiVersion) owned = owned.union(fields);
  const whole = form.from(merged);
  const removed = set(whole).difference(set(form.from(kept)).union(named(owned)));
  return form.back(asObject(removeFields(form.type, whole, removed)));
}

type Form = Pick<OtherForm, 'apiVersion' | 'type' | 'from' | 'back'>;

const asItIs = (object: JsonObject): JsonObject => object;

function formOf({ apiVersion, type, others }: Tracking, version: string): Form {
  return others.find((form) => form.apiVersion === version) ?? { apiVersion, type, from: asItIs, back: asItIs };
}

function setsOf(type: ValueType): Record<'named', (set: FieldSet) => FieldSet> & Record<'set', (value: Json) => FieldSet> {
  const named = (set: FieldSet): FieldSet => withNamedFields(type, set);
  return { named, set: (value) => named(fieldsOf(type, value)) };
}

const asObject = (value: Json): JsonObject => (isObject(value) ? value : {});
