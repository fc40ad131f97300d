import type { GroupResource, KubeObject } from '#libs/kernel';
import type { KindCatalogue } from '../kinds/catalogue';
import { addTo, count, masked, readList, type ResourceList } from '../resources';
import { demandOf } from './demand';
import { isInScope, scopesOf } from './scopes';
import { countedResource, isCounted, isTracked, measuredResources } from './tracked';

/** Where the objects of a namespace are found. */
export interface QuotaView {
  readonly kinds: KindCatalogue;
  list(resource: GroupResource, namespace: string): Iterable<KubeObject>;
}

/** The kinds whose objects a quota counts. */
export function resourcesOf(quota: KubeObject, kinds: KindCatalogue): GroupResource[] {
  const names = Object.keys(quota.spec?.hard ?? {});
  const counted = names.map(countedResource).filter((resource) => resource !== undefined && isCountable(resource, kinds));
  const measured = measuredResources.filter((resource) => names.some((name) => isTracked(resource, name)));
  return [...new Set([...measured, ...(counted as GroupResource[])])];
}

function isCountable(resource: GroupResource, kinds: KindCatalogue): boolean {
  return isCounted(resource) && kinds.findGroupResource(resource)?.namespaced === true;
}

/** What a quota's resources are used by now (upstream `CalculateUsage`); those that nobody can count are not in it. */
export function usageOf(quota: KubeObject, view: QuotaView, now: number): ResourceList {
  const namespace = quota.metadata.namespace ?? '';
  const names = Object.keys(quota.spec?.hard ?? {});
  const scopes = scopesOf(quota);
  const used: ResourceList = new Map();
  for (const resource of resourcesOf(quota, view.kinds)) {
    const tracked = new Set(names.filter((name) => isTracked(resource, name)));
    const ofKind: ResourceList = new Map([...tracked].map((name) => [name, count(0)]));
    for (const object of view.list(resource, namespace)) {
      const { usage, traits } = demandOf(resource, object, now);
      if (scopes.every((scope) => isInScope(resource, traits, scope))) addTo(ofKind, masked(usage, tracked));
    }
    addTo(used, ofKind);
  }
  return used;
}

/** The new status of a quota: what is limited now, and what is used of it. What nobody can count stays as it was told before. */
export function recounted(quota: KubeObject, usage: ResourceList): { hard: ResourceList; used: ResourceList } {
  const hard = readList(quota.spec?.hard);
  const used: ResourceList = new Map([...readList(quota.status?.used), ...usage]);
  return { hard, used: masked(used, hard) };
}
