import type { KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import { fieldsOfPath, scaleOf } from '../strategy/scale';
import { FieldSet } from './field-set';
import { inOrder, managersOf, type ManagerEntry, type Managers } from './managers';
import { fieldElement } from './path-element';
import { trackUpdate, type Writing } from './track-update';
import { bare, scaleTracking } from './tracking';

/** Where a Scale has its replicas, and most workloads theirs. */
const replicas = ['spec', 'replicas'].map(fieldElement);
const replicasOnly = FieldSet.of(replicas);

/** Where objects of a kind have their replicas: a custom kind's definition says it. */
function replicasOf({ strategy: { scale } }: ResourceKind): typeof replicas {
  return scale ? fieldsOfPath(scale.specReplicasPath).map(fieldElement) : replicas;
}

/** The owners of a workload as those of its Scale: of those that own its replicas, just that. */
export function ownersOfScale(entries: readonly ManagerEntry[], kind: ResourceKind): ManagerEntry[] {
  const path = replicasOf(kind);
  return inOrder(
    [...managersOf(entries).values()]
      .filter((entry) => entry.apiVersion === kind.apiVersion && entry.fields.has(path))
      .map((entry) => ({ ...entry, apiVersion: 'autoscaling/v1', fields: replicasOnly })),
  );
}

/**
 * The owners of a workload after those of its Scale have changed. An updater of the Scale is another one than the updater of the workload of
 * that name, so it comes beside him, and without a time.
 */
export function ownersOfScaled(entries: readonly ManagerEntry[], scaled: Managers, kind: ResourceKind): ManagerEntry[] {
  const { apiVersion } = kind;
  const path = replicasOf(kind);
  const pathOnly = FieldSet.of(path);
  const left = new Map(scaled);
  const result: ManagerEntry[] = [];
  const known = managersOf(entries);
  for (const [id, entry] of known) {
    if (entry.apiVersion !== apiVersion) continue;
    if (!entry.fields.has(path) || left.delete(id)) {
      result.push(entry);
      continue;
    }
    const fields = entry.fields.difference(pathOnly);
    if (!fields.isEmpty) result.push({ ...entry, fields });
  }
  for (const [id, entry] of left) {
    if (entry.fields.has(replicas)) result.push({ ...entry, apiVersion, time: known.get(id)?.time, fields: pathOnly });
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
