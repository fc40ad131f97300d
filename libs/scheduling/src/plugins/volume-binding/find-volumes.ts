import type { KubeObject } from '#libs/kernel';
import { parseQuantity, quantityValue } from '#libs/kernel';
import type { Listers } from '../../framework/listers';
import type { NodeInfo } from '../../framework/node-info';
import { compileLabelSelector, labelOf, noLabels, selectorMatches } from '../../framework/selectors';
import { storageClassOf, volumeNameOf, volumeReaches } from '../../framework/volumes';
import type { PodClaims } from './pod-claims';

const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';
const noProvisioner = 'kubernetes.io/no-provisioner';

/** What has to be bound or provisioned for the pod on one node. */
export interface PodVolumes {
  readonly staticBindings: readonly { readonly claim: KubeObject; readonly volume: KubeObject }[];
  readonly provisions: readonly KubeObject[];
}

export interface VolumeVerdict {
  readonly boundReach: boolean;
  readonly unboundFound: boolean;
  readonly isStorageEnough: boolean;
  readonly boundExist: boolean;
  readonly volumes: PodVolumes;
  /** A claim that cannot be provisioned at all. */
  readonly error?: string;
}

/** Bound volumes must reach the node; for the other claims volumes must be found there or provisioned. */
export function findPodVolumes(listers: Listers, claims: PodClaims, node: NodeInfo): VolumeVerdict {
  const verdict = { boundReach: true, unboundFound: true, isStorageEnough: true, boundExist: true, volumes: noVolumes };
  const bound = checkBound(listers, claims.bound, node);
  verdict.boundReach = bound !== 'unreachable';
  verdict.boundExist = bound !== 'missing';
  if (claims.delayed.length === 0) return verdict;

  const toProvision: KubeObject[] = [];
  const toMatch: KubeObject[] = [];
  for (const claim of claims.delayed) {
    const selected = claim.metadata.annotations?.[selectedNodeAnnotation];
    if (selected === undefined) toMatch.push(claim);
    else if (selected === node.name) toProvision.push(claim);
    else return { ...verdict, unboundFound: false };
  }
  const matched = matchClaims(listers, toMatch, node);
  toProvision.push(...matched.unmatched);
  const volumes = { staticBindings: matched.bindings, provisions: toProvision };
  return { ...verdict, ...checkProvisions(listers, toProvision, node), volumes };
}

const noVolumes: PodVolumes = { staticBindings: [], provisions: [] };

/** The first claim whose volume is gone or out of reach decides. */
function checkBound(listers: Listers, claims: readonly KubeObject[], node: NodeInfo): 'fine' | 'missing' | 'unreachable' {
  for (const claim of claims) {
    const volume = listers.table('persistentvolumes').get('', volumeNameOf(claim));
    if (volume === undefined) return 'missing';
    if (!volumeReaches(volume, node)) return 'unreachable';
  }
  return 'fine';
}

function matchClaims(
  listers: Listers,
  claims: readonly KubeObject[],
  node: NodeInfo,
): { bindings: PodVolumes['staticBindings']; unmatched: KubeObject[] } {
  const bindings: { claim: KubeObject; volume: KubeObject }[] = [];
  const unmatched: KubeObject[] = [];
  const taken = new Set<string>();
  // The smallest requests first, so that each gets the smallest volume that fits.
  const bySize = [...claims].sort((a, b) => requestedBytes(a) - requestedBytes(b));
  for (const claim of bySize) {
    const volume = findMatchingVolume(listers, claim, node, taken);
    if (volume === undefined) unmatched.push(claim);
    else {
      taken.add(volume.metadata.name);
      bindings.push({ claim, volume });
    }
  }
  return { bindings, unmatched };
}

function requestedBytes(claim: KubeObject): number {
  return quantityValue(claim.spec?.resources?.requests?.storage);
}

function capacityNano(volume: KubeObject): bigint {
  return parseQuantity(volume.spec?.capacity?.storage)?.nano ?? 0n;
}

/** A volume that is pre-bound to the claim, or else the smallest that is available, large enough and reachable. */
function findMatchingVolume(listers: Listers, claim: KubeObject, node: NodeInfo, taken: ReadonlySet<string>): KubeObject | undefined {
  const wanted = parseQuantity(claim.spec?.resources?.requests?.storage)?.nano ?? 0n;
  const selector = claim.spec?.selector ? compileLabelSelector(claim.spec.selector) : undefined;
  const className = storageClassOf(claim);
  let smallest: KubeObject | undefined;
  for (const volume of listers.table('persistentvolumes').all()) {
    if (taken.has(volume.metadata.name) || storageClassOf(volume) !== className) continue;
    const isOurs = isBoundTo(volume, claim);
    if (volume.spec?.claimRef && !isOurs) continue;
    if (capacityNano(volume) < wanted || !sameMode(claim, volume) || volume.metadata.deletionTimestamp) continue;
    const isReachable = volumeReaches(volume, node);
    if (isOurs) return isReachable ? volume : undefined;
    if (!isReachable || volume.status?.phase !== 'Available') continue;
    if (selector !== undefined && !selectorMatches(selector, volume.metadata.labels ?? noLabels)) continue;
    if (!offersModes(claim, volume)) continue;
    if (smallest === undefined || capacityNano(volume) < capacityNano(smallest)) smallest = volume;
  }
  return smallest;
}

function isBoundTo(volume: KubeObject, claim: KubeObject): boolean {
  const reference = volume.spec?.claimRef as { name?: string; namespace?: string; uid?: string } | undefined;
  if (!reference || reference.name !== claim.metadata.name || reference.namespace !== claim.metadata.namespace) return false;
  return !reference.uid || reference.uid === claim.metadata.uid;
}

function sameMode(claim: KubeObject, volume: KubeObject): boolean {
  const attributes = (object: KubeObject): string => (object.spec?.volumeAttributesClassName as string | undefined) ?? '';
  return (claim.spec?.volumeMode ?? 'Filesystem') === (volume.spec?.volumeMode ?? 'Filesystem') && attributes(claim) === attributes(volume);
}

function offersModes(claim: KubeObject, volume: KubeObject): boolean {
  const offered = (volume.spec?.accessModes ?? []) as string[];
  return ((claim.spec?.accessModes ?? []) as string[]).every((mode) => offered.includes(mode));
}

function checkProvisions(
  listers: Listers,
  claims: readonly KubeObject[],
  node: NodeInfo,
): { unboundFound: boolean; isStorageEnough: boolean; error?: string } {
  for (const claim of claims) {
    const className = storageClassOf(claim);
    if (className === '')
      return {
        unboundFound: false,
        isStorageEnough: false,
        error: `no class for claim "${claim.metadata.namespace}/${claim.metadata.name}"`,
      };
    const storageClass = listers.table('storageclasses').get('', className);
    if (storageClass === undefined)
      return { unboundFound: false, isStorageEnough: false, error: `failed to find storage class "${className}"` };
    const provisioner = (storageClass.provisioner as string | undefined) ?? '';
    if (provisioner === '' || provisioner === noProvisioner) return { unboundFound: false, isStorageEnough: true };
    if (!topologyAllows(storageClass, node)) return { unboundFound: false, isStorageEnough: true };
    if (!hasCapacity(listers, provisioner, claim, className, node)) return { unboundFound: true, isStorageEnough: false };
  }
  return { unboundFound: true, isStorageEnough: true };
}

function topologyAllows(storageClass: KubeObject, node: NodeInfo): boolean {
  const terms = (storageClass.allowedTopologies ?? []) as { matchLabelExpressions?: { key: string; values: string[] }[] }[];
  if (terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) => {
    if (matchLabelExpressions.length === 0) return false;
    return matchLabelExpressions.every(({ key, values }) => values.includes(labelOf(node.labels, key) ?? '\0'));
  });
}

/** Only drivers that say so have their storage capacity looked at. */
function hasCapacity(listers: Listers, provisioner: string, claim: KubeObject, className: string, node: NodeInfo): boolean {
  if (claim.spec?.resources?.requests?.storage === undefined) return true;
  if (listers.table('csidrivers').get('', provisioner)?.spec?.storageCapacity !== true) return true;
  const wanted = requestedBytes(claim);
  for (const capacity of listers.table('csistoragecapacities').all()) {
    if (capacity.storageClassName !== className) continue;
    const limit = capacity.maximumVolumeSize ?? capacity.capacity;
    if (limit === undefined || quantityValue(limit) < wanted) continue;
    if (selectorMatches(compileLabelSelector(capacity.nodeTopology), node.labels)) return true;
  }
  return false;
}
