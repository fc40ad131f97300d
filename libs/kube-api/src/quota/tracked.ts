import type { GroupResource } from '#libs/kernel';
import { isNativeResource } from '../validation/resources';

/** Quotas count objects of these by their plain names too. */
export const legacyNames: ReadonlySet<GroupResource> = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

/** What is only asked and never stored, and Events, no quota counts. */
const uncounted: ReadonlySet<GroupResource> = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'events.events.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
]);

export function isCounted(resource: GroupResource): boolean {
  return !uncounted.has(resource);
}

/** The name under which a quota counts the objects of a resource, `count/deployments.apps`. */
export function countNameOf(resource: GroupResource): string {
  return `count/${resource}`;
}

/** Of a name `count/RESOURCE` the resource. */
export function countedResource(name: string): GroupResource | undefined {
  if (legacyNames.has(name)) return name;
  return name.startsWith('count/') ? name.slice('count/'.length) : undefined;
}

/** Kinds of which quotas know more than their number. */
export const measuredResources: readonly GroupResource[] = ['pods', 'services', 'persistentvolumeclaims', 'resourceclaims.resource.k8s.io'];

/** Whether a quota's resource of this name says something about objects of the kind (upstream `MatchingResources`). */
export function isTracked(resource: GroupResource, name: string): boolean {
  if (name === countNameOf(resource)) return true;
  switch (resource) {
    case 'pods':
      return ofPods.has(name) || name.startsWith('hugepages-') || (name.startsWith('requests.') && isOfContainers(name));
    case 'services':
      return name === 'services' || name === 'services.nodeports' || name === 'services.loadbalancers';
    case 'persistentvolumeclaims':
      return claimSuffixes.some((suffix) => name === suffix || name.endsWith(storageClassMark + suffix));
    case 'resourceclaims.resource.k8s.io':
      return name.endsWith(deviceClassMark);
    default:
      return name === resource && legacyNames.has(resource);
  }
}

const ofPods: ReadonlySet<string> = new Set([
  'pods',
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

function isOfContainers(name: string): boolean {
  return name.startsWith('requests.hugepages-') || !isNativeResource(name);
}

export const storageClassMark = '.storageclass.storage.k8s.io/';
const claimSuffixes = ['persistentvolumeclaims', 'requests.storage'];

/** Behind the name of a device class: how many of its devices claims may ask for. */
export const deviceClassMark = '.deviceclass.resource.k8s.io/devices';
