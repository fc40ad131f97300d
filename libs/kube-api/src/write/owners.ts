import { fact, type Fact } from '#libs/events';
import { jsonEqual, type JsonObject, type KubeObject } from '#libs/kernel';
import type { OwnedFields } from '../kinds/behaviour';
import { kindsOf, shownAs, type ResourceKind } from '../kinds';
import {
  bare,
  emptyObject,
  entriesOf,
  FieldOwners,
  inOrder,
  managersOf,
  ownedFields,
  readEntries,
  sameEntries,
  toldOwners,
  trackingOf,
  trackScale,
  trackUpdate,
  writingOf,
  type ManagerEntry,
  type OwnerChange,
} from '../managed-fields';
import type { StateView, WriteContext, WriteOptions } from './request';
import { servedAs } from './rules';

/** What a write asks for, as owners of fields are told by it: before admission and the kind's strategy have had their say. */
export interface Asked {
  /** The object, or the Scale, that was asked for. */
  readonly wanted: KubeObject;
  readonly by: OwnerChange['by'];
  /** The owners as the request has them, where it changes them. */
  readonly given?: readonly ManagerEntry[];
  /** Who owns what by the write, where that has been found out already. */
  readonly exact?: readonly ManagerEntry[];
  /** Nobody asks who owns what. */
  readonly left?: boolean;
}

export interface Owned {
  /** Of the object after the write. */
  readonly owners: FieldOwners;
  /** What has to be told of them. */
  readonly facts: Fact[];
  /** They are those of before, but for the times of entries. */
  readonly isSame: boolean;
}

export function writerBy(options: WriteOptions | undefined, { now }: WriteContext, subresource?: string): OwnerChange['by'] {
  return { manager: options?.fieldManager ?? '', operation: 'Update', subresource, now };
}

/**
 * The owners that a client sends along, where they are others than those that the object has: an empty list, or one with an empty entry, sends
 * them away. What cannot be read counts as nothing sent. Through a subresource nobody changes them.
 */
export function givenOwners(sent: KubeObject, old: KubeObject | undefined): readonly ManagerEntry[] | undefined {
  const { managedFields } = sent.metadata;
  const known = old?.metadata.managedFields;
  if (!Array.isArray(managedFields) || managedFields === known) return undefined;
  const [first] = managedFields;
  if (!first || (managedFields.length === 1 && Object.keys(first).length === 0)) return [];
  if (known instanceof FieldOwners && JSON.stringify(managedFields) === known.json) return undefined;
  const entries = readEntries(managedFields);
  if (!entries || (old && sameEntries(entries, entriesOf(old), true))) return undefined;
  return entries;
}

/** The object without owners: what defaults, admission, strategies and validation are about. */
export function withoutOwners(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  return bare(object) as unknown as KubeObject;
}

/** @param version as a request names it */
export function writtenAs(state: StateView, stored: ResourceKind, version: string | undefined): Written {
  return { stored, served: servedAs(state, stored, version), forms: kindsOf(state).formsOf(stored.storage) };
}

/** Who owns what of a new object. */
export function ownersOfNew(
  { stored: kind, served, forms }: Written,
  object: KubeObject,
  { wanted, given, exact, left, by: writer }: Asked,
): Owned {
  if (left && kind.form?.webhook) return { owners: FieldOwners.of([]), facts: [], isSame: false };
  const by = inVersion({ stored: kind, served }, writer);
  const change: OwnerChange = { kind, forms, after: object, by };
  const asked = kind.strategy.asAsked?.(object) ?? object;
  if (!given && !exact && !kind.form?.webhook && saysTheSame(ownedFields(kind, by.subresource ?? 'object'), wanted, asked))
    return { owners: FieldOwners.after(change), facts: [], isSame: false };
  const found =
    exact ??
    inOrder(
      trackUpdate(
        trackingOf(served, by.subresource, forms),
        managersOf(given ?? []),
        emptyObject(served),
        bare(shownAs(served, wanted)),
        writingOf(by),
      ).values(),
    );
  return told([], change, found);
}

/** The owners of a new object as its managedFields tell them. */
export function entriesOfNew(kind: ResourceKind, object: KubeObject, { manager, now }: { manager: string; now: number }): unknown {
  return FieldOwners.after({ kind, after: object, by: { manager, operation: 'Update', now } }).toJSON();
}

/** Who owns what of an object that is written to. */
export function ownersOfChanged(
  written: Written,
  before: KubeObject,
  after: KubeObject,
  { wanted, given, exact, left, by: writer }: Asked,
): Owned {
  const { stored: kind, forms } = written;
  if (left && kind.form?.webhook) return { owners: FieldOwners.of(entriesOf(before)), facts: [], isSame: true };
  const by = inVersion(written, writer);
  const change: OwnerChange = { kind, forms, before, after, by };
  const isScale = by.subresource === 'scale';
  if (!given && !exact && !isScale && !kind.form?.webhook && saysTheSame(ownedFields(kind, by.subresource ?? 'object'), wanted, after))
    return { owners: FieldOwners.after(change), facts: [], isSame: true };
  const entries = entriesOf(before);
  const base = given ?? entries;
  const found = exact ?? (isScale ? trackScale(kind, entries, before, wanted, writingOf(by)) : tracked(written, base, before, wanted, by));
  return told(entries, change, found);
}

/** The kind of what is written: as it is stored, in the version that it is written in, and in all of them. */
export interface Written {
  readonly stored: ResourceKind;
  readonly served: ResourceKind;
  readonly forms: readonly ResourceKind[];
}

function inVersion({ stored, served }: Pick<Written, 'stored' | 'served'>, by: OwnerChange['by']): OwnerChange['by'] {
  return served === stored || by.subresource === 'scale' ? by : { ...by, version: served.apiVersion };
}

function tracked(
  { served, forms }: Written,
  entries: readonly ManagerEntry[],
  before: KubeObject,
  wanted: KubeObject,
  by: OwnerChange['by'],
): ManagerEntry[] {
  // Whom nobody follows is not followed from now on.
  if (entries.length === 0) return [];
  const tracking = trackingOf(served, by.subresource, forms);
  const [old, asked] = [before, wanted].map((object) => bare(shownAs(served, object))) as [JsonObject, JsonObject];
  return inOrder(trackUpdate(tracking, managersOf(entries), old, asked, writingOf(by)).values());
}

function told(entries: readonly ManagerEntry[], change: OwnerChange, exact: readonly ManagerEntry[]): Owned {
  const what = toldOwners(entries, change, exact);
  return {
    owners: FieldOwners.of(exact),
    facts: what ? [fact('ManagedFieldsChanged', { ...what })] : [],
    isSame: sameEntries(entries, exact, false),
  };
}

/** Parts of metadata that nobody owns. */
const serversOwn = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink', 'managedFields']);

/** Whether an owner owns the same by either of two objects. It may say no where the answer is yes. */
function saysTheSame(owned: OwnedFields, a: KubeObject, b: KubeObject): boolean {
  if ('only' in owned) return false;
  const left = new Set(['kind', 'apiVersion', 'metadata', ...owned.except]);
  const metadataLeft = owned.except.includes('metadata');
  return sameBut(left, a, b) && (metadataLeft || sameBut(serversOwn, a.metadata as never, b.metadata as never));
}

function sameBut(left: ReadonlySet<string>, a: JsonObject | KubeObject, b: JsonObject | KubeObject): boolean {
  for (const key of Object.keys(a)) if (!left.has(key) && !jsonEqual(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (!left.has(key) && b[key] !== undefined && a[key] === undefined) return false;
  return true;
}
