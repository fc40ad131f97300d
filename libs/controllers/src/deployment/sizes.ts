import type { KubeObject } from '#libs/kernel';
import { maxReplicasAnnotation, numberIn, desiredReplicasAnnotation } from './annotations';
import { maxSurge, maxUnavailable, replicasOf } from './fenceposts';
import { active, bySizeThenNewest, bySizeThenOldest, counted, wantedPods, type Generations } from './replicasets-of';

/** New sizes of ReplicaSets. */
export type Sizes = Map<KubeObject, number>;

/** The size of the present ReplicaSet that surge leaves room for (upstream `NewRSNewReplicas`). */
export function currentSize(deployment: KubeObject, all: readonly KubeObject[], size: number): number {
  const wanted = replicasOf(deployment);
  if (deployment.spec?.strategy?.type === 'Recreate') return wanted;
  const room = wanted + maxSurge(deployment) - wantedPods(all);
  return room <= 0 ? size : size + Math.min(room, wanted - size);
}

/** Scaling outside a rollout: one active ReplicaSet takes it all, several share it in proportion (upstream `scale`). */
export function scaledSizes(deployment: KubeObject, { current, old }: Generations): Sizes {
  const sizes: Sizes = new Map();
  const wanted = replicasOf(deployment);
  const one = activeOrLatest(current, old);
  if (one) {
    if (replicasOf(one) !== wanted) sizes.set(one, wanted);
    return sizes;
  }
  if (current && isSaturated(deployment, current)) {
    for (const replicaSet of active(old)) sizes.set(replicaSet, 0);
    return sizes;
  }
  return (deployment.spec?.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
    ? proportionalSizes(deployment, active([...old, current]))
    : sizes;
}

/** The only active ReplicaSet, or the newest when none is; undefined when several are. `old` is sorted by age. */
function activeOrLatest(current: KubeObject | undefined, old: readonly KubeObject[]): KubeObject | undefined {
  const running = active([...old, current]);
  if (running.length > 1) return undefined;
  return running[0] ?? current ?? old[old.length - 1];
}

function isSaturated(deployment: KubeObject, current: KubeObject): boolean {
  const wanted = replicasOf(deployment);
  const available = (current.status?.availableReplicas as number | undefined) ?? 0;
  return replicasOf(current) === wanted && numberIn(current, desiredReplicasAnnotation) === wanted && available === wanted;
}

/** The change is spread over the active ReplicaSets by size; what rounding leaves goes to the largest. */
function proportionalSizes(deployment: KubeObject, running: KubeObject[]): Sizes {
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const change = allowed - wantedPods(running);
  if (change !== 0) running.sort(change > 0 ? bySizeThenNewest : bySizeThenOldest);
  const sizes: Sizes = new Map();
  let given = 0;
  for (const replicaSet of running) {
    const share = change === 0 ? 0 : proportion(deployment, replicaSet, change, given);
    sizes.set(replicaSet, replicasOf(replicaSet) + share);
    given += share;
  }
  const largest = running[0];
  if (largest && change !== 0) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + change - given));
  return sizes;
}

function proportion(deployment: KubeObject, replicaSet: KubeObject, change: number, given: number): number {
  if (replicasOf(replicaSet) === 0 || change === given) return 0;
  const fraction = fractionOf(deployment, replicaSet);
  return change > 0 ? Math.min(fraction, change - given) : Math.max(fraction, change - given);
}

/** What the ReplicaSet would grow by if all grew as the Deployment's greatest size does. */
function fractionOf(deployment: KubeObject, replicaSet: KubeObject): number {
  const size = replicasOf(replicaSet);
  if (replicasOf(deployment) === 0) return -size;
  const greatest = replicasOf(deployment) + maxSurge(deployment);
  const before = numberIn(replicaSet, maxReplicasAnnotation) || ((deployment.status?.replicas as number | undefined) ?? 0);
  return before === 0 ? 0 : Math.trunc((size * greatest) / before + 0.5) - size;
}

/**
 * Old pods to give up now: those that are not available first, then as many as availability allows (upstream `reconcileOldReplicaSets`).
 * Undefined when a ReplicaSet counts more available pods than it is to have: its status is yet to follow, and nothing can be said.
 */
export function shrunkSizes(deployment: KubeObject, { current, old }: Generations & { current: KubeObject }): Sizes | undefined {
  const sizes: Sizes = new Map();
  const running = active(old);
  const all = [...old, current];
  const least = replicasOf(deployment) - maxUnavailable(deployment);
  const notYetAvailable = replicasOf(current) - counted([current], 'availableReplicas');
  const removable = wantedPods(all) - least - notYetAvailable;
  if (running.length === 0 || removable <= 0) return sizes;
  let cleaned = 0;
  for (const replicaSet of running) {
    const unhealthy = replicasOf(replicaSet) - counted([replicaSet], 'availableReplicas');
    if (cleaned >= removable) break;
    if (unhealthy < 0) return undefined;
    const count = Math.min(removable - cleaned, unhealthy);
    if (count === 0) continue;
    sizes.set(replicaSet, replicasOf(replicaSet) - count);
    cleaned += count;
  }
  let spare = counted(all, 'availableReplicas') - least;
  for (const replicaSet of running) {
    const size = sizes.get(replicaSet) ?? replicasOf(replicaSet);
    const count = Math.min(size, spare);
    if (count <= 0) continue;
    sizes.set(replicaSet, size - count);
    spare -= count;
  }
  return sizes;
}
