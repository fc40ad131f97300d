import type { KubeObject } from '#libs/kernel';
import type { StateData } from '../../framework/cycle-state';
import type { Listers } from '../../framework/listers';
import type { PodInfo } from '../../framework/pod-info';
import { claimNotFound, claimOf, claimVolumesOf, foreignClaim, storageClassOf, volumeNameOf } from '../../framework/volumes';

const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed';

/** The pod's claims: bound, to be bound when a node is chosen, and those that should have been bound already. */
export class PodClaims implements StateData {
  readonly bound: KubeObject[] = [];
  readonly delayed: KubeObject[] = [];
  readonly immediate: KubeObject[] = [];

  clone(): this {
    return this;
  }
}

/** A text says why the pod cannot be scheduled before its claims have changed; undefined: it has none. */
export function podClaims(listers: Listers, pod: PodInfo): PodClaims | string | undefined {
  const volumes = claimVolumesOf(pod);
  if (volumes.length === 0) return undefined;
  const claims = new PodClaims();
  for (const { claimName, isEphemeral } of volumes) {
    const claim = claimOf(listers, pod.namespace, claimName);
    if (claim === undefined) {
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claimName}"`
        : claimNotFound(claimName);
    }
    if (claim.status?.phase === 'Lost') {
      return `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${volumeNameOf(claim)}"`;
    }
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${claimName}" is being deleted`;
    const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined;
    if (foreign !== undefined) return foreign;
    sort(listers, claim, claims);
  }
  return claims;
}

function sort(listers: Listers, claim: KubeObject, claims: PodClaims): void {
  const isPreBound = volumeNameOf(claim) !== '';
  if (isPreBound && claim.metadata.annotations?.[bindCompletedAnnotation] !== undefined) claims.bound.push(claim);
  // A claim that names its volume but is not bound yet is the volume controller's business, whatever its class says.
  else if (!isPreBound && waitsForConsumer(listers, claim)) claims.delayed.push(claim);
  else claims.immediate.push(claim);
}

function waitsForConsumer(listers: Listers, claim: KubeObject): boolean {
  const className = storageClassOf(claim);
  if (className === '') return false;
  return listers.table('storageclasses').get('', className)?.volumeBindingMode === 'WaitForFirstConsumer';
}
