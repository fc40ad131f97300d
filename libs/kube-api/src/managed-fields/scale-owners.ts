import type { KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import { scaleOf } from '../strategy/scale';
import { FieldSet } from './field-set';
import { inOrder, managersOf, type ManagerEntry, type Managers } from './managers';
import { fieldElement } from './path-element';
import { trackUpdate, type Writing } from './track-update';
import { bare, scaleTracking } from './tracking';

const replicas = ['spec', 'replicas'].map(fieldElement);
const replicasOnly = FieldSet.of(replicas);

/** The owners of a workload as those of its Scale: of those that own its replicas, just that. */
export function ownersOfScale(entries: readonly ManagerEntry[], { apiVersion }: ResourceKind): ManagerEntry[] {
  return inOrder(
    [...managersOf(entries).values()]
      .filter((entry) => entry.apiVersion === apiVersion && entry.fields.has(replicas))
      .map((entry) => ({ ...entry, apiVersion: 'autoscaling/v1', fields: replicasOnly })),
  );
}

/**
 * The owners of a workload after those of its Scale have changed. An updater of the Scale is another one than the updater of the workload of
 * that name, so it comes beside him, and without a time.
 */
export function ownersOfScaled(entries: readonly ManagerEntry[], scaled: Managers, { apiVersion }: ResourceKind): ManagerEntry[] {
  const left = new Map(scaled);
  const result: ManagerEntry[] = [];
  const known = managersOf(entries);
  for (const [id, entry] of known) {
    if (entry.apiVersion !== apiVersion) continue;
    if (!entry.fields.has(replicas) || left.delete(id)) {
      result.push(entry);
      continue;
    }
    const fields = entry.fields.difference(replicasOnly);
    if (!fields.isEmpty) result.push({ ...entry, fields });
  }
  for (const [id, entry] of left) {
    if (entry.fields.has(replicas)) result.push({ ...entry, apiVersion, time: known.get(id)?.time, fields: replicasOnly });
  }
  return inOrder(result);
}

/** The owners of a workload after a write to its Scale that is no apply. @param wanted the Scale that was asked for */
export function trackScale(
  kind: ResourceKind,
  entries: readonly ManagerEntry[],
  before: KubeObject,
  wanted: KubeObject,
  writing: Writing,
): ManagerEntry[] {
  const owners = managersOf(ownersOfScale(entries, kind));
  // Who owns nothing of the Scale is not told apart from an object that nobody tracks.
  if (owners.size === 0) return ownersOfScaled(entries, owners, kind);
  return ownersOfScaled(entries, trackUpdate(scaleTracking(), owners, bare(scaleOf(before, kind.strategy)), bare(wanted), writing), kind);
}
