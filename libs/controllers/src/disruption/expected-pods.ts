import type { ClusterState } from '#libs/cluster-state';
import { controllerOf, type KubeObject, type OwnerReference } from '#libs/kernel';
import { findSubresource, inItsVersion, kindsOf, noScaleOf, scaleOf, shownAs } from '#libs/kube-api';

export interface ExpectedPods {
  expectedPods: number;
  desiredHealthy: number;
  /** Pods without a controller stand behind a share that needs one. */
  unmanaged: boolean;
}

/** The count could not be made: condition SyncFailed carries the text. */
export interface SyncError {
  error: string;
}

/** How many pods there should be, and how many of them healthy (upstream `getExpectedPodCount`). Shares round up. */
export function expectedPodsOf(cluster: ClusterState, budget: KubeObject, pods: readonly KubeObject[]): ExpectedPods | SyncError {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable !== undefined) {
    return expectedScale(cluster, pods, (scale) => Math.max(0, scale - scaledValue(maxUnavailable, scale)));
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable, unmanaged: false };
  if (minAvailable !== undefined) return expectedScale(cluster, pods, (scale) => scaledValue(minAvailable, scale));
  return { expectedPods: 0, desiredHealthy: 0, unmanaged: false };
}

function scaledValue(value: number | string, total: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
}

/** The sum of what the pods' controllers are scaled to, each counted once. */
function expectedScale(cluster: ClusterState, pods: readonly KubeObject[], desired: (scale: number) => number): ExpectedPods | SyncError {
  const scales = new Map<string, number>();
  const seen = new Map<string, Scale | SyncError | undefined>();
  let unmanaged = false;
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (!controller) {
      unmanaged = true;
      continue;
    }
    if (!seen.has(controller.uid)) seen.set(controller.uid, scaleBehind(cluster, controller, pod.metadata.namespace as string));
    const found = seen.get(controller.uid);
    if (!found) return { error: `found no controllers for pod "${pod.metadata.name}"` };
    if ('error' in found) return found;
    scales.set(found.uid, found.replicas);
  }
  let sum = 0;
  for (const replicas of scales.values()) sum += replicas;
  return { expectedPods: sum, desiredHealthy: desired(sum), unmanaged };
}

interface Scale {
  /** Whose scale it is: a ReplicaSet's Deployment counts in its place. */
  uid: string;
  replicas: number;
}

function scaleBehind(cluster: ClusterState, reference: OwnerReference, namespace: string): Scale | SyncError | undefined {
  const kind = kindsOf(cluster).findKind(reference.apiVersion, reference.kind);
  if (!kind) return { error: `no matches for kind "${reference.kind}" in version "${reference.apiVersion}"` };
  if (!findSubresource(kind, 'scale')) return { error: `${kind.groupResource} does not implement the scale subresource` };
  const owner = cluster.get(kind.groupResource, namespace, reference.name);
  if (owner && kind.form) return customScale(cluster, kind.groupResource, owner, reference);
  if (!owner || owner.metadata.uid !== reference.uid) return undefined;
  return (kind.groupResource === 'replicasets.apps' ? deploymentScale(cluster, owner) : undefined) ?? scaleFrom(owner);
}

/** A custom kind's definition says where the replicas are, each version for itself; nobody else is asked about an object than its own version. */
function customScale(
  cluster: ClusterState,
  resource: string,
  owner: KubeObject,
  { uid, kind: name }: OwnerReference,
): Scale | SyncError | undefined {
  const kinds = kindsOf(cluster);
  const stored = kinds.kindOf(resource);
  const object = inItsVersion(stored, owner);
  const kind = (object.apiVersion && kinds.findKind(object.apiVersion, name)) || stored;
  const shown = shownAs(kind, object);
  const missing = noScaleOf(shown, kind.strategy);
  if (missing) return { error: String(missing.message) };
  return owner.metadata.uid === uid ? { uid, replicas: replicasOf(scaleOf(shown, kind.strategy)) } : undefined;
}

function replicasOf({ spec }: KubeObject): number {
  return (spec?.replicas as number | undefined) ?? 0;
}

function deploymentScale(cluster: ClusterState, replicaSet: KubeObject): Scale | undefined {
  const reference = controllerOf(replicaSet);
  if (reference?.kind !== 'Deployment') return undefined;
  const deployment = cluster.get('deployments.apps', replicaSet.metadata.namespace, reference.name);
  return deployment?.metadata.uid === reference.uid ? scaleFrom(deployment) : undefined;
}

function scaleFrom(owner: KubeObject): Scale {
  return { uid: owner.metadata.uid, replicas: (owner.spec?.replicas as number | undefined) ?? 1 };
}
