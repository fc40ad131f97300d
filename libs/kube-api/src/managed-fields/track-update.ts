import type { JsonObject } from '#libs/kernel';
import { compare, type Comparison } from './compare';
import { withoutServersOwn, type FieldFilter } from './field-filter';
import { identityOf, type ManagerEntry, type Managers } from './managers';
import { fittedTo } from './typed-sets';
import type { ValueType } from './value-type';

/** What the bookkeeping has to know of the kind of an object and of the way in which it is written. */
export interface Tracking {
  readonly type: ValueType;
  /** Of the kind that is written: owners at versions that are none of its own are forgotten. */
  readonly apiVersion: string;
  readonly isVersion: (apiVersion: string) => boolean;
  readonly filter: FieldFilter;
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
  const result = dispossessed(fitted(tracking, managers), changes, undefined);
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

/** The owners that are known at a version of the kind, with sets that fit its type. */
export function fitted({ type, isVersion }: Tracking, managers: Managers): Managers {
  const result: Managers = new Map();
  for (const [id, entry] of managers) {
    if (isVersion(entry.apiVersion)) result.set(id, { ...entry, fields: fittedTo(type, entry.fields) });
  }
  return result;
}

/** What others do not own any more after a change. @param writer whose set is left as it is */
export function dispossessed(managers: Managers, changes: Comparison, writer: string | undefined): Managers {
  const taken = changes.modified.union(changes.added).union(changes.removed);
  const result: Managers = new Map();
  for (const [id, entry] of managers) {
    const fields = id === writer ? entry.fields : entry.fields.difference(taken);
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
