import type { JsonObject } from '#libs/kernel';
import { toFieldsV1 } from './fields-v1';
import { identityOf, managersOf, sameEntries, showEntry, type ManagerEntry } from './managers';
import { ownersAfter, predictedOwners, writingOf, writtenKind, type OwnerChange, type ToldOwners } from './owner-rules';
import { writerOf } from './track-update';

/** What has to be told of the owners after a change for them to be these; undefined: they follow from the change. */
export function toldOwners(
  entries: readonly ManagerEntry[],
  change: Omit<OwnerChange, 'told'>,
  exact: readonly ManagerEntry[],
): ToldOwners | undefined {
  if (sameEntries(exact, predictedOwners(entries, change), true)) return undefined;
  const id = identityOf(writerOf(writingOf(change.by), writtenKind(change).apiVersion));
  const own: JsonObject = toFieldsV1Of(managersOf(exact).get(id));
  for (const told of [{ own }, { own, kept: true }]) if (sameEntries(exact, ownersAfter(entries, { ...change, told }), true)) return told;
  return { entries: exact.map(showEntry) };
}

function toFieldsV1Of(entry: ManagerEntry | undefined): JsonObject {
  return entry ? toFieldsV1(entry.fields) : {};
}
