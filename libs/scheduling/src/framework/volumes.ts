import type { KubeObject } from '#libs/kernel';
import type { RawVolume } from './kube-types';
import type { Listers } from './listers';
import type { PodInfo } from './pod-info';
import type { NodeIdentity, NodeSelector } from './selectors';
import { compileNodeSelector, nodeSelectorMatches } from './selectors';

/** The claim a volume stands for; an ephemeral volume's is named after pod and volume. Undefined for other volumes. */
export function claimNameOf(podName: string, volume: RawVolume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : `${podName}-${volume.name}`;
}

export interface ClaimVolume {
  readonly claimName: string;
  readonly isEphemeral: boolean;
}

/** The claims that the pod's volumes stand for, those of ephemeral volumes among them. */
export function claimVolumesOf(pod: PodInfo): ClaimVolume[] {
  const volumes: ClaimVolume[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const claimName = claimNameOf(pod.name, volume);
    if (claimName !== undefined) volumes.push({ claimName, isEphemeral: volume.persistentVolumeClaim === undefined });
  }
  return volumes;
}

export function usesClaim(pod: PodInfo, claim: KubeObject): boolean {
  if (claim.metadata.namespace !== pod.namespace) return false;
  return claimVolumesOf(pod).some(({ claimName }) => claimName === claim.metadata.name);
}

export function claimOf(listers: Listers, namespace: string, name: string): KubeObject | undefined {
  return listers.table('persistentvolumeclaims').get(namespace, name);
}

export function claimNotFound(name: string): string {
  return `persistentvolumeclaim "${name}" not found`;
}

/** The claim of an ephemeral volume must be the pod's own. A text says why it is not. */
export function foreignClaim(pod: PodInfo, claim: KubeObject): string | undefined {
  const isOwn = claim.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === pod.uid);
  return isOwn ? undefined : `PVC ${claim.metadata.namespace}/${claim.metadata.name} was not created for pod ${pod.key} (pod is not owner)`;
}

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** The storage class of a claim or volume; '' for none. */
export function storageClassOf(object: KubeObject): string {
  return object.metadata.annotations?.[classAnnotation] ?? (object.spec?.storageClassName as string | undefined) ?? '';
}

export function volumeNameOf(claim: KubeObject): string {
  return (claim.spec?.volumeName as string | undefined) ?? '';
}

const affinities = new WeakMap<KubeObject, NodeSelector | 'any'>();

/** Can the volume be reached from the node? */
export function volumeReaches(volume: KubeObject, node: NodeIdentity): boolean {
  let affinity = affinities.get(volume);
  if (affinity === undefined) {
    const required = volume.spec?.nodeAffinity?.required as object | undefined;
    affinity = required === undefined ? 'any' : compileNodeSelector(required);
    affinities.set(volume, affinity);
  }
  return affinity === 'any' || nodeSelectorMatches(affinity, node);
}
