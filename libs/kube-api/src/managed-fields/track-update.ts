import type { JsonObject } from '#libs/kernel';
import { compare, type Comparison } from './compare';
import { withoutServersOwn, type FieldFilter } from './field-filter';
import type { FieldSet } from './field-set';
import { identityOf, type ManagerEntry, type Managers } from './managers';
import { fittedTo } from './typed-sets';
import type { ValueType } from './value-type';

/** What the bookkeeping has to know of the kind of an object and of the way in which it is written. */
export interface Tracking {
  readonly type: ValueType;
  /** The version that is written. */
  readonly apiVersion: string;
  /** The kind's other versions. Owners at a version that is none of the kind's are forgotten. */
  readonly others: readonly OtherForm[];
  readonly filter: FieldFilter;
}

/** Another version of the kind: what its owners own, they own by its names of the fields. */
export interface OtherForm {
  readonly apiVersion: string;
  readonly type: ValueType;
  readonly filter: FieldFilter;
  /** An object of the version that is written, as this one shows it; and the way back. */
  readonly from: (object: JsonObject) => JsonObject;
  readonly back: (object: JsonObject) => JsonObject;
}

/** Who writes, and how. */
export interface Writing {
  readonly manager: string;
  readonly operation: ManagerEntry['operation'];
  readonly subresource?: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
}

export type Entry = Omit<ManagerEntry, 'fields' | 'time'>;

export function writerOf({ manager, operation, subresource }: Writing, apiVersion: string): Entry {
  return { manager: manager === '' ? 'unknown' : manager, operation, apiVersion, ...(subresource ? { subresource } : {}) };
}

/**
 * Who owns what after a write that is no apply: the writer owns what it changed, whoever owned that or what it removed owns it no more.
 * What the writer is given in `wanted` counts, not what admission and the kind's strategy make of it afterwards.
 */
export function trackUpdate(tracking: Tracking, managers: Managers, before: JsonObject, wanted: JsonObject, writing: Writing): Managers {
  const { type, apiVersion, filter } = tracking;
  const changes = filtered(compare(type, before, wanted), filter);
  const result = dispossessed(fitted(tracking, managers), changesIn(tracking, before, wanted, changes), undefined);
  const own = withoutServersOwn(filter(changes.modified.union(changes.added)));
  if (!own.isEmpty) {
    const writer = writerOf(writing, apiVersion);
    const id = identityOf(writer);
    const fields = result.get(id)?.fields.union(own) ?? own;
    result.set(id, { ...writer, time: writing.time, fields });
  }
  return capped(result);
}

export function filtered({ added, modified, removed }: Comparison, filter: FieldFilter): Comparison {
  return { added: filter(added), modified: filter(modified), removed: filter(removed) };
}

export type ChangesIn = (apiVersion: string) => Comparison;

/** What a change comes to in the version of each owner. @param changes in the version that is written */
export function changesIn(tracking: Tracking, before: JsonObject, after: JsonObject, changes: Comparison): ChangesIn {
  const known = new Map([[tracking.apiVersion, changes]]);
  return (apiVersion) => {
    let found = known.get(apiVersion);
    if (!found) {
      const { type, filter, from } = tracking.others.find((form) => form.apiVersion === apiVersion) as OtherForm;
      known.set(apiVersion, (found = filtered(compare(type, from(before), from(after)), filter)));
    }
    return found;
  };
}

/** The owners that are known at a version of the kind, with sets that fit its type. */
export function fitted(tracking: Tracking, managers: Managers): Managers {
  const result: Managers = new Map();
  for (const [id, entry] of managers) {
    const { apiVersion } = entry;
    const form = apiVersion === tracking.apiVersion ? tracking : tracking.others.find((other) => other.apiVersion === apiVersion);
    if (form) result.set(id, { ...entry, fields: fittedTo(form.type, entry.fields) });
  }
  return result;
}

/** What others do not own any more after a change. @param writer whose set is left as it is */
export function dispossessed(managers: Managers, changes: ChangesIn, writer: string | undefined): Managers {
  const taken = new Map<string, FieldSet>();
  const takenIn = (apiVersion: string): FieldSet => {
    let set = taken.get(apiVersion);
    if (!set) {
      const { modified, added, removed } = changes(apiVersion);
      taken.set(apiVersion, (set = modified.union(added).union(removed)));
    }
    return set;
  };
  const result: Managers = new Map();
  for (const [id, entry] of managers) {
    const fields = id === writer ? entry.fields : entry.fields.difference(takenIn(entry.apiVersion));
    if (!fields.isEmpty) result.set(id, { ...entry, fields });
  }
  return result;
}

/** Updaters remembered one by one. */
const updatersMax = 10;
const ancient = 'ancient-changes';

/** Of too many updaters the oldest are put together, by version. */
function capped(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= updatersMax) return managers;
  updaters.sort(([leftId, left], [rightId, right]) => secondsOf(left) - secondsOf(right) || (leftId < rightId ? -1 : 1));
  const result = new Map(managers);
  const firsts = new Map<string, string>();
  let count = updaters.length;
  for (const [id, entry] of updaters) {
    if (count <= updatersMax) break;
    const { apiVersion } = entry;
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, id);
      continue;
    }
    const bucket: Entry = { manager: ancient, operation: 'Update', apiVersion };
    const bucketId = identityOf(bucket);
    const known = result.get(bucketId) ?? result.get(first);
    if (!result.has(bucketId)) result.delete(first);
    result.set(bucketId, { ...bucket, time: entry.time, fields: known ? entry.fields.union(known.fields) : entry.fields });
    if (id !== bucketId) result.delete(id);
    count--;
  }
  return result;
}

function secondsOf({ time }: ManagerEntry): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1_000);
}
