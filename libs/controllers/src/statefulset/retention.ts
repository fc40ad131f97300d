import { jsonEqual, type KubeObject, type OwnerReference } from '#libs/kernel';
import { controllerReference } from '../loop/claims';
import { isInRange, ordinalOf } from './identity';

interface Policy {
  whenDeleted: 'Retain' | 'Delete';
  whenScaled: 'Retain' | 'Delete';
}

/** What becomes of the claims of a set's pods. */
export function retentionPolicy(set: KubeObject): Policy {
  const given = set.spec?.persistentVolumeClaimRetentionPolicy as Partial<Policy> | undefined;
  return { whenDeleted: given?.whenDeleted ?? 'Retain', whenScaled: given?.whenScaled ?? 'Retain' };
}

export interface ClaimOwners {
  /** Of the claim; absent: they are as they should be, or not to be touched. */
  owners?: OwnerReference[];
  /** Another controller owns the claim: what the set says of claims is not done. */
  isForeign: boolean;
}

/**
 * Who is to own the claim of a pod, so that it goes with its set, or with the pod that is scaled away, and not otherwise (upstream
 * `isClaimOwnerUpToDate`, `updateClaimOwnerRefForSetAndPod`).
 * @param pod the claim is of
 */
export function claimOwners(claim: KubeObject, set: KubeObject, pod: KubeObject): ClaimOwners {
  const before = claim.metadata.ownerReferences ?? [];
  const setRef = controllerReference(set, 'apps/v1', 'StatefulSet');
  const podRef = controllerReference(pod, 'v1', 'Pod');
  const isForeign = hasForeignController(before, set, [setRef, podRef]);
  if ([setRef, podRef].some((own) => isStale(before, own))) return { isForeign };
  const others = before.filter((ref) => !names(ref, setRef) && !names(ref, podRef));
  const has = ({ uid }: OwnerReference): boolean => before.some((ref) => ref.uid === uid);
  if (isForeign) return has(setRef) || has(podRef) ? { owners: others, isForeign } : { isForeign };
  const wanted = ownersByPolicy(set, pod, setRef, podRef);
  const isSo =
    [setRef, podRef].every((own) => has(own) === wanted.includes(own)) &&
    before.every(({ uid, controller }) => (uid !== setRef.uid && uid !== podRef.uid) || controller === true);
  return isSo ? { isForeign } : { owners: [...others, ...wanted], isForeign };
}

/** A claim that waits to go with a pod that is no more: nothing may be built on it (upstream `PodClaimIsStale`). */
export function isStaleClaim(claim: KubeObject | undefined, set: KubeObject, podName: string): boolean {
  if (retentionPolicy(set).whenScaled === 'Retain') return false;
  return (
    claim?.metadata.ownerReferences?.some(({ apiVersion, kind, name }) => apiVersion === 'v1' && kind === 'Pod' && name === podName) ??
    false
  );
}

function ownersByPolicy(set: KubeObject, pod: KubeObject, setRef: OwnerReference, podRef: OwnerReference): OwnerReference[] {
  const { whenDeleted, whenScaled } = retentionPolicy(set);
  const isScaledAway = !isInRange(set, ordinalOf(set, pod) ?? -1);
  if (whenScaled === 'Delete' && isScaledAway) return [podRef];
  return whenDeleted === 'Delete' ? [setRef] : [];
}

function hasForeignController(refs: readonly OwnerReference[], set: KubeObject, own: readonly OwnerReference[]): boolean {
  if (jsonEqual(retentionPolicy(set), { whenDeleted: 'Retain', whenScaled: 'Retain' })) return false;
  return refs.some((ref) => {
    const known = own.find((one) => names(ref, one));
    return known ? known.uid !== ref.uid : ref.controller === true;
  });
}

/** By its kind and name, whatever its uid. */
function names(ref: OwnerReference, own: OwnerReference): boolean {
  return ref.apiVersion === own.apiVersion && ref.kind === own.kind && ref.name === own.name;
}

/** Of one of the same name that was there before. */
function isStale(refs: readonly OwnerReference[], own: OwnerReference): boolean {
  const found = refs.find((ref) => names(ref, own));
  return found !== undefined && found.uid !== own.uid;
}
