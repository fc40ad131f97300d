import { formatTime, jsonEqual, type JsonObject, type KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import { shownAs } from '../kinds/shown-as';
import { definition } from '../schema';
import { scaleOf } from '../strategy/scale';
import { compare } from './compare';
import { identityOf, inOrder, managersOf, readEntries, type ManagerEntry, type Managers } from './managers';
import { fromFieldsV1 } from './fields-v1';
import { ownersOfScale, ownersOfScaled, trackScale } from './scale-owners';
import { changesIn, dispossessed, filtered, fitted, trackUpdate, writerOf, type Tracking, type Writing } from './track-update';
import { bare, emptyObject, scaleTracking, trackingOf } from './tracking';

/** A change of an object, and who made it. */
export interface OwnerChange {
  readonly kind: ResourceKind;
  /** Absent: the object came into being. */
  readonly before?: KubeObject;
  readonly after: KubeObject;
  /** The kind in each of its versions, where it has several. Objects are given as they are stored. */
  readonly forms?: readonly ResourceKind[];
  /** `version`: what it was written in (`autoscaling/v1`), where that is not the version of `kind`. */
  readonly by: Omit<Writing, 'time'> & { readonly now: number; readonly isDecision?: boolean; readonly version?: string };
  /** What does not follow from the change. */
  readonly told?: ToldOwners;
}

/** What a log tells of owners: what of them does not follow from what changed. */
export interface ToldOwners {
  /** What the writer owns. */
  readonly own?: JsonObject;
  /** The writer's entry has no other time than before. */
  readonly kept?: boolean;
  /** All entries, where more is otherwise. */
  readonly entries?: JsonObject[];
}

/** Who owns what after a change, in order. */
export function ownersAfter(entries: readonly ManagerEntry[], change: OwnerChange): ManagerEntry[] {
  const { told, by } = change;
  if (told?.entries) return readEntries(told.entries) ?? [];
  const predicted = predictedOwners(entries, change);
  if (!told?.own) return predicted;
  const writer = writerOf(writingOf(by), writtenKind(change).apiVersion);
  const id = identityOf(writer);
  const result = managersOf(predicted);
  const fields = fromFieldsV1(told.own);
  const time = told.kept ? managersOf(entries).get(id)?.time : formatTime(by.now);
  if (fields.isEmpty) result.delete(id);
  else result.set(id, { ...writer, ...(time === undefined ? {} : { time }), fields });
  return inOrder(result.values());
}

/** The kind in the version that it was written in. */
export function writtenKind({ kind, forms, by: { version } }: Pick<OwnerChange, 'kind' | 'forms' | 'by'>): ResourceKind {
  return (version !== undefined && forms?.find(({ apiVersion }) => apiVersion === version)) || kind;
}

export function writingOf({ now, manager, operation, subresource }: OwnerChange['by']): Writing {
  return { manager, operation, subresource, time: formatTime(now) };
}

/** Who owns what after a change if nothing was asked for but what came of it. */
export function predictedOwners(entries: readonly ManagerEntry[], change: OwnerChange): ManagerEntry[] {
  const { by, forms } = change;
  // What other versions of the object look like only a webhook could say: who owns what is told whole.
  if (change.kind.form?.webhook) return inOrder(entries);
  const writing = writingOf(by);
  if (!change.before) return created(entries, change, writing);
  if (by.subresource === 'scale') return scaled(entries, change, writing);
  const kind = writtenKind(change);
  const before = shownAs(kind, change.before);
  const after = shownAs(kind, change.after);
  if (by.operation === 'Apply') {
    const tracking = trackingOf(kind, by.subresource, forms);
    return applied(tracking, firstOwners(tracking, entries, kind, before, writing), bare(before), bare(after), writing);
  }
  // Whom nobody follows is not followed from now on.
  if (entries.length === 0) return [];
  let managers = managersOf(entries);
  for (const [step, subresource] of by.isDecision ? decidedSteps(kind, before, after) : ([[before, by.subresource]] as const))
    managers = trackUpdate(trackingOf(kind, subresource, forms), managers, bare(step), bare(after), { ...writing, subresource });
  return inOrder(managers.values());
}

/**
 * A decision of a controller is one write here, of whatever it changes. Upstream's controllers write a status by itself, and what they change of
 * the metadata with it; a change of the spec is a write before that.
 */
function decidedSteps(
  kind: ResourceKind,
  before: KubeObject,
  after: KubeObject,
): readonly (readonly [before: KubeObject, subresource: string | undefined])[] {
  if (!kind.hasStatus || jsonEqual(before.status, after.status)) return [[before, undefined]];
  const { status: _old, metadata: _oldMetadata, ...old } = before;
  const { status: _new, metadata: _newMetadata, ...now } = after;
  if (jsonEqual(old, now)) return [[before, 'status']];
  return [
    [before, undefined],
    [{ ...after, status: before.status }, 'status'],
  ];
}

function created(entries: readonly ManagerEntry[], change: OwnerChange, writing: Writing): ManagerEntry[] {
  const { after, by, forms } = change;
  if (by.operation === 'Apply') return inOrder(entries);
  const kind = writtenKind(change);
  const wanted = shownAs(kind, kind.strategy.asAsked?.(after) ?? after);
  const tracking = trackingOf(kind, by.subresource, forms);
  return inOrder(trackUpdate(tracking, managersOf(entries), emptyObject(kind), bare(wanted), writing).values());
}

function scaled(entries: readonly ManagerEntry[], { kind, before, after, by }: OwnerChange, writing: Writing): ManagerEntry[] {
  if (!before) return inOrder(entries);
  if (by.operation !== 'Apply') return trackScale(kind, entries, before, scaleOf(after, kind.strategy), writing);
  const owners = ownersOfScale(entries, kind);
  const tracking = scaleTracking();
  const [old, now] = [before, after].map((object) => scaleOf(object, kind.strategy)) as [KubeObject, KubeObject];
  const known = firstOwnersOfScale(owners, old, writing);
  return ownersOfScaled(entries, managersOf(applied(tracking, known, bare(old), bare(now), writing)), kind);
}

/** An applier says what he owns; until it is told that is what he owned before. */
function applied(tracking: Tracking, managers: Managers, from: JsonObject, to: JsonObject, writing: Writing): ManagerEntry[] {
  const id = identityOf(writerOf(writing, tracking.apiVersion));
  const [before, after] = [unversioned(from), unversioned(to)];
  const changes = filtered(compare(tracking.type, before, after), tracking.filter);
  const result = dispossessed(fitted(tracking, managers), changesIn(tracking, before, after, changes), id);
  const own = result.get(id);
  const isChanged = !changes.added.isEmpty || !changes.modified.isEmpty || !changes.removed.isEmpty;
  if (own && isChanged) result.set(id, { ...own, apiVersion: tracking.apiVersion, time: writing.time });
  return inOrder(result.values());
}

/** Every write makes a new version, which is not there yet while the write is prepared: it is no change. */
function unversioned({ metadata, ...object }: JsonObject): JsonObject {
  const { resourceVersion: _, ...others } = (metadata ?? {}) as JsonObject;
  return { ...object, metadata: others };
}

const beforeApply = 'before-first-apply';

/** The owners before an apply: of an object that nobody is told to own anything of, somebody who has written all of it. */
export function firstOwners(
  tracking: Tracking,
  entries: readonly ManagerEntry[],
  kind: Pick<ResourceKind, 'schema' | 'kind' | 'apiVersion'>,
  live: KubeObject,
  { time, subresource }: Writing,
): Managers {
  if (entries.length > 0) return managersOf(entries);
  return trackUpdate(tracking, new Map(), emptyObject(kind), bare(live), { manager: beforeApply, operation: 'Update', time, subresource });
}

export function firstOwnersOfScale(entries: readonly ManagerEntry[], scale: KubeObject, writing: Writing): Managers {
  const tracking = scaleTracking();
  const kind = { schema: definition('autoscaling.v1.Scale'), kind: 'Scale', apiVersion: tracking.apiVersion };
  return firstOwners(tracking, entries, kind, scale, writing);
}
