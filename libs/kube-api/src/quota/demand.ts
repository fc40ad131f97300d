import { formatQuantity, type GroupResource, type KubeObject } from '#libs/kernel';
import { count, type ResourceList } from '../resources';
import { claimDemand } from './claims';
import { deviceClaimDemand } from './device-claims';
import { podDemand } from './pods';
import { serviceDemand } from './services';
import { countNameOf, legacyNames } from './tracked';

/** What decides which scopes an object is in. */
export interface Traits {
  /** The pod ends by itself. */
  terminating?: boolean;
  bestEffort?: boolean;
  priorityClass?: string;
  crossNamespaceAffinity?: boolean;
  /** Classes that a claim has or is to get. */
  volumeAttributesClasses?: readonly string[];
}

/** What an object takes of quotas, and what they tell it by. */
export interface Demand {
  readonly usage: ResourceList;
  readonly traits: Traits;
  /** Containers that say nothing of a resource, by the resource: a quota may want them to. */
  readonly unset?: Readonly<Record<string, readonly string[]>>;
}

/**
 * What an object takes (upstream's evaluators).
 * @param now cluster time, ms: a pod that should be gone by then takes nothing
 */
export function demandOf(resource: GroupResource, object: KubeObject, now: number): Demand {
  switch (resource) {
    case 'pods':
      return podDemand(object, now);
    case 'services':
      return { usage: serviceDemand(object), traits: {} };
    case 'persistentvolumeclaims':
      return claimDemand(object);
    case 'resourceclaims.resource.k8s.io':
      return { usage: deviceClaimDemand(object), traits: {} };
    default:
      return { usage: countOf(resource), traits: {} };
  }
}

function countOf(resource: GroupResource): ResourceList {
  const usage: ResourceList = new Map([[countNameOf(resource), count(1)]]);
  if (legacyNames.has(resource)) usage.set(resource, count(1));
  return usage;
}

/** Amounts as they are told: sorted, joined with commas. */
export function amountsText(list: ResourceList): string {
  const names = [...list.keys()].sort();
  return names.map((name) => `${name}=${formatQuantity(list.get(name) ?? count(0))}`).join(',');
}
