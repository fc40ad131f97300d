import { controllerOf } from '#libs/kernel';
import type { RawSpreadConstraint } from '../../framework/kube-types';
import type { Listers } from '../../framework/listers';
import { requiredNodeAffinityMatches, requiredNodeAffinityOf } from '../../framework/node-affinity';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Labels, Selector } from '../../framework/selectors';
import {
  addRequirements,
  compileLabelSelector,
  isEmptySelector,
  labelOf,
  selectorFromMap,
  selectorMatches,
} from '../../framework/selectors';
import { untoleratedTaint } from '../../framework/tolerations';

export type WhenUnsatisfiable = 'DoNotSchedule' | 'ScheduleAnyway';

export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly minDomains: number;
  readonly honorsNodeAffinity: boolean;
  readonly honorsNodeTaints: boolean;
}

export type DefaultConstraint = Pick<RawSpreadConstraint, 'maxSkew' | 'topologyKey' | 'whenUnsatisfiable'>;

/** What pods without constraints get where the profile does not say otherwise. */
export const systemDefaultConstraints: readonly DefaultConstraint[] = [
  { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

const noConstraints: readonly SpreadConstraint[] = [];

/** The pod's constraints of one kind, or the defaults where it has none of either kind. */
export function constraintsOf(
  pod: PodInfo,
  action: WhenUnsatisfiable,
  defaults: readonly DefaultConstraint[],
  listers: Listers,
): readonly SpreadConstraint[] {
  const own = pod.spec.topologySpreadConstraints ?? [];
  if (own.length > 0)
    return own.filter((raw) => raw.whenUnsatisfiable === action).map((raw) => compile(raw, compileLabelSelector(raw.labelSelector)));
  const ofAction = defaults.filter((raw) => raw.whenUnsatisfiable === action);
  if (ofAction.length === 0) return noConstraints;
  const selector = defaultSelector(pod, listers);
  return isEmptySelector(selector) ? noConstraints : ofAction.map((raw) => compile(raw, selector));
}

function compile(raw: RawSpreadConstraint, selector: Selector): SpreadConstraint {
  return {
    maxSkew: raw.maxSkew,
    topologyKey: raw.topologyKey,
    selector,
    minDomains: raw.minDomains ?? 1,
    honorsNodeAffinity: (raw.nodeAffinityPolicy ?? 'Honor') === 'Honor',
    honorsNodeTaints: raw.nodeTaintsPolicy === 'Honor',
  };
}

/** The pods the pod belongs with: those of the services that select it and of its controller. */
function defaultSelector(pod: PodInfo, listers: Listers): Selector {
  const labels: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const service of listers.table('services').inNamespace(pod.namespace)) {
    const selector = service.spec?.selector as Record<string, string> | undefined;
    if (selector && selectorMatches(selectorFromMap(selector), pod.labels)) Object.assign(labels, selector);
  }
  const owner = controllerOf(pod.pod);
  switch (owner && `${owner.apiVersion} ${owner.kind}`) {
    case 'v1 ReplicationController': {
      const controller = listers.table('replicationcontrollers').get(pod.namespace, owner?.name ?? '');
      Object.assign(labels, controller?.spec?.selector);
      return selectorFromMap(labels);
    }
    case 'apps/v1 ReplicaSet':
      return withOwner(labels, listers.table('replicasets').get(pod.namespace, owner?.name ?? '')?.spec?.selector);
    case 'apps/v1 StatefulSet':
      return withOwner(labels, listers.table('statefulsets').get(pod.namespace, owner?.name ?? '')?.spec?.selector);
    default:
      return selectorFromMap(labels);
  }
}

function withOwner(labels: Record<string, string>, ownerSelector: object | undefined): Selector {
  const selector = selectorFromMap(labels);
  return ownerSelector === undefined ? selector : addRequirements(selector, compileLabelSelector(ownerSelector).requirements);
}

export function hasAllKeys(labels: Labels, constraints: readonly SpreadConstraint[]): boolean {
  for (const constraint of constraints) if (labelOf(labels, constraint.topologyKey) === undefined) return false;
  return true;
}

/** Does the node belong to the domains of the constraint, by its node inclusion policies? */
export function isIncluded(constraint: SpreadConstraint, pod: PodInfo, node: NodeInfo): boolean {
  if (constraint.honorsNodeAffinity && !requiredNodeAffinityMatches(requiredNodeAffinityOf(pod.spec), node)) return false;
  return !constraint.honorsNodeTaints || untoleratedTaint(node.taints, pod.tolerations) === undefined;
}

/** Pods of the namespace on the node that the selector matches; terminating ones do not count, and an empty selector counts none. */
export function countMatching(node: NodeInfo, selector: Selector, namespace: string): number {
  if (isEmptySelector(selector)) return 0;
  let count = 0;
  for (const pod of node.pods) {
    if (!pod.terminating && pod.namespace === namespace && selectorMatches(selector, pod.labels)) count++;
  }
  return count;
}
