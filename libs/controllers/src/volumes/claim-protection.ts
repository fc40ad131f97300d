import type { ClusterState } from '#libs/cluster-state';
import { keyOf, objectKey, type KubeObject } from '#libs/kernel';
import { protectionController } from './protection';

/** Pods that are bound to a node and name the claim, by keys. */
type Users = Map<string, Set<string>>;

/** A claim is kept for as long as a pod that is bound to a node has it among its volumes, be the pod at its end or not. */
export const claimProtection = protectionController<Users>({
  controller: 'persistentvolumeclaim-protection-controller',
  resource: 'persistentvolumeclaims',
  finalizer: 'kubernetes.io/pvc-protection',

  users: ['pods'],

  index(cluster) {
    const users: Users = new Map();
    for (const [key, pod] of cluster.table('pods').objects) for (const claim of claimsOf(pod)) noteUser(users, claim, key);
    return users;
  },

  *freed(users, { change }) {
    if (change?.resource !== 'pods') return;
    const now = new Set(change.type === 'DELETED' ? [] : claimsOf(change.object));
    for (const claim of now) noteUser(users, claim, change.key);
    for (const claim of change.before ? claimsOf(change.before) : []) {
      if (now.has(claim)) continue;
      forgetUser(users, claim, change.key);
      yield claim;
    }
  },

  isUsed(claim, users, cluster) {
    return [...(users.get(keyOf(claim)) ?? [])].some((key) => isUser(cluster, key, claim));
  },
});

function noteUser(users: Users, claim: string, pod: string): void {
  const known = users.get(claim);
  if (known) known.add(pod);
  else users.set(claim, new Set([pod]));
}

function forgetUser(users: Users, claim: string, pod: string): void {
  const known = users.get(claim);
  if (known?.delete(pod) && known.size === 0) users.delete(claim);
}

interface PodVolume {
  name: string;
  persistentVolumeClaim?: { claimName: string };
  ephemeral?: object;
}

function volumesOf(pod: KubeObject): readonly PodVolume[] {
  return pod.spec?.nodeName ? ((pod.spec.volumes as PodVolume[] | undefined) ?? []) : [];
}

/** Keys of the claims that a bound pod names, and of those that are made for it until its kubelet is done with it. */
function claimsOf(pod: KubeObject): string[] {
  const { namespace, name } = pod.metadata;
  const keys: string[] = [];
  for (const volume of volumesOf(pod)) {
    if (volume.persistentVolumeClaim) keys.push(objectKey(namespace, volume.persistentVolumeClaim.claimName));
    else if (volume.ephemeral && !isShutDown(pod)) keys.push(objectKey(namespace, `${name}-${volume.name}`));
  }
  return keys;
}

function isShutDown({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

/** A claim that only has the name of one made for the pod is not the pod's. */
function isUser(cluster: ClusterState, key: string, claim: KubeObject): boolean {
  const pod = cluster.byKey('pods', key);
  if (!pod) return false;
  if (volumesOf(pod).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim.metadata.name)) return true;
  return claim.metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === pod.metadata.uid) === true;
}
