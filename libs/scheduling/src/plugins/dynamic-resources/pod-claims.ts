import type { KubeObject } from '#libs/kernel';
import { controllerOf } from '#libs/kernel';
import { podStatus } from '../../framework/kube-types';
import type { Listers } from '../../framework/listers';
import type { PodInfo } from '../../framework/pod-info';

/** The ResourceClaims a pod refers to, in the order of its spec. A text says why they cannot be used yet. */
export function podResourceClaims(listers: Listers, pod: PodInfo): KubeObject[] | string {
  const claims: KubeObject[] = [];
  for (const reference of pod.spec.resourceClaims ?? []) {
    let claimName = reference.resourceClaimName;
    if (claimName === undefined) {
      const generated = podStatus(pod.pod).resourceClaimStatuses?.find((status) => status.name === reference.name);
      if (generated === undefined) return `pod "${pod.key}": ResourceClaim not created yet`;
      // The template's claim turned out not to be needed.
      if (generated.resourceClaimName === undefined) continue;
      claimName = generated.resourceClaimName;
    }
    const claim = listers.table('resourceclaims').get(pod.namespace, claimName);
    if (claim === undefined) return `resourceclaim.resource.k8s.io "${claimName}" not found`;
    if (claim.metadata.deletionTimestamp) return `resourceclaim "${claimName}" is being deleted`;
    if (reference.resourceClaimName === undefined && controllerOf(claim)?.uid !== pod.uid) {
      return `ResourceClaim ${pod.namespace}/${claimName} was not created for pod ${pod.key} (pod is not owner)`;
    }
    claims.push(claim);
  }
  return claims;
}

interface Consumer {
  resource?: string;
  name?: string;
  uid?: string;
}

export function reservedFor(claim: KubeObject): readonly Consumer[] {
  return (claim.status?.reservedFor ?? []) as Consumer[];
}

export interface AllocatedDevice {
  request: string;
  driver: string;
  pool: string;
  device: string;
}

export interface Allocation {
  devices?: { results?: AllocatedDevice[] };
  nodeSelector?: object;
}

export function allocationOf(claim: KubeObject): Allocation | undefined {
  return (claim.status?.allocation ?? undefined) as Allocation | undefined;
}
