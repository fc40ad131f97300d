import type { FieldOwnership, FoldedChange } from '#libs/cluster-state';
import { kindsOf } from '../kinds';
import { entriesOf, FieldOwners, withOwners } from './field-owners';
import { everything, withoutServersOwn } from './field-filter';
import { fromFieldsV1 } from './fields-v1';
import { readEntries, sameEntries } from './managers';
import { ownersAfter, predictedOwners, writtenKind, type OwnerChange, type ToldOwners } from './owner-rules';
import { showPath } from './path-element';
import { trackingOf } from './tracking';
import { undeclared } from './typed-sets';
import { isApplier, managerOfAgent, managerOfController } from './writer-names';

/** How the fold keeps owners of fields: the events say who has changed what, and where that is not all, what else is owned. */
export const fieldOwnership: FieldOwnership = {
  after(change) {
    const changed = ownerChange(change);
    return changed && FieldOwners.after(changed);
  },

  restored(object) {
    const { managedFields } = object.metadata;
    const entries = Array.isArray(managedFields) ? readEntries(managedFields) : undefined;
    return entries ? withOwners(object, FieldOwners.of(entries)) : object;
  },
};

function ownerChange(change: FoldedChange): OwnerChange | undefined {
  const kinds = kindsOf(change);
  const kind = kinds.findGroupResource(change.resource);
  const { before, after, told } = change;
  return kind && { kind, forms: kinds.formsOf(kind.storage), before, after, by: writerIn(change), told: told as ToldOwners | undefined };
}

/** What is wrong with what a log tells of owners. @param alone nothing else changed by the write */
export function problemOfTold(folded: FoldedChange, alone: boolean): string | undefined {
  const change = ownerChange(folded);
  if (!change?.told) return undefined;
  const { before, told, by } = change;
  const kind = writtenKind(change);
  const entries = before ? entriesOf(before) : [];
  const follows = predictedOwners(entries, change);
  const isTold = told.own !== undefined || told.entries !== undefined;
  if (isTold && sameEntries(ownersAfter(entries, change), follows, true)) return 'it tells of owners what follows from what changed';
  if (!isTold && (!alone || sameEntries(entries, follows, false))) return 'it tells of owners and nothing of them has changed';
  const { type, filter } =
    by.subresource === 'scale' ? { type: trackingOf(kind, undefined).type, filter: everything } : trackingOf(kind, by.subresource);
  const own = fromFieldsV1(told.own);
  if (!withoutServersOwn(filter(own)).equals(own)) return 'it tells of an owner of fields that such a write does not own';
  const unknown = undeclared(type, own);
  return unknown && `it tells of an owner of ${showPath(unknown)}, which there is not`;
}

function writerIn({ metadata }: FoldedChange): OwnerChange['by'] {
  const { actor = '', agent, manager, verb, sub, version, basis, time } = metadata;
  const isOfUser = actor.startsWith('user:');
  return {
    manager: manager ?? (isOfUser ? managerOfAgent(agent) : managerOfController(actor)),
    operation: verb === 'apply' || (!isOfUser && isApplier(actor)) ? 'Apply' : 'Update',
    subresource: sub,
    version,
    now: time,
    isDecision: basis !== undefined,
  };
}
