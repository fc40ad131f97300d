import type { GroupResource } from '#libs/kernel';
import { schemaData } from '../schema';
import type { ResourceFacts } from '../schema';
import type { ResourceKind, Subresource } from './resource-kind';
import * as traits from './traits';

/** `pods`, `deployments.apps` */
export function groupResourceOf(group: string, resource: string): GroupResource {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `v1`, `apps/v1` */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `apps/v1` → group and version; undefined for what is none (more than one slash). */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: apiVersion };
  return parts.length === 2 ? { group: parts[0] as string, version: parts[1] as string } : undefined;
}

function subresourcesOf(facts: ResourceFacts): Subresource[] {
  return (facts.subresources ?? []).map((sub) => ({
    name: sub.name,
    kind: sub.kind,
    group: sub.group ?? facts.group,
    version: sub.version ?? facts.version,
    verbs: sub.verbs,
  }));
}

function resourceKind(facts: ResourceFacts): ResourceKind {
  const name = groupResourceOf(facts.group, facts.resource);
  const subresources = subresourcesOf(facts);
  const managesGeneration = traits.managesGeneration.has(name);
  return {
    group: facts.group,
    version: facts.version,
    resource: facts.resource,
    singular: facts.singular,
    kind: facts.kind,
    namespaced: facts.namespaced,
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    verbs: facts.verbs,
    subresources,
    storageVersionHash: facts.storageVersionHash,
    served: traits.served.has(name),
    groupResource: name,
    apiVersion: apiVersionOf(facts.group, facts.version),
    storage: traits.storedAs.get(name) ?? name,
    generation: managesGeneration ? 'managed' : traits.fixedGeneration.has(name) ? 'fixed' : 'none',
    managesGeneration,
    hasStatus: subresources.some((sub) => sub.name === 'status'),
    createOnUpdate: traits.createsOnUpdate.has(name),
    allowUnconditionalUpdate: !traits.conditionalUpdateOnly.has(name),
    deletionReturnsObject: traits.returnsDeletedObject.has(name),
    gracefulDeletion: traits.deletesGracefully.has(name),
    fieldSelectors: traits.fieldSelectors.get(name) ?? [],
    formerVersions: traits.formerVersions.get(name) ?? [],
  };
}

/** Every resource of the release, in the order of discovery. */
export const resourceKinds: readonly ResourceKind[] = schemaData.resources.map(resourceKind);

const byPath = new Map(resourceKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.resource}`, kind]));
// A resource in two versions (autoscaling) is found in the preferred one, the first.
const byName = new Map([...resourceKinds].reverse().map((kind) => [kind.groupResource, kind]));
const byKind = new Map([...resourceKinds].reverse().map((kind) => [`${kind.apiVersion}/${kind.kind}`, kind]));

/** By group (`` for core), version and plural name, as a path gives them. */
export function findResource(group: string, version: string, resource: string): ResourceKind | undefined {
  return byPath.get(`${group}/${version}/${resource}`);
}

/** By `pods`, `deployments.apps`. */
export function findGroupResource(name: GroupResource): ResourceKind | undefined {
  return byName.get(name);
}

/** As `findGroupResource`, for a name that code knows to exist. */
export function kindOf(name: GroupResource): ResourceKind {
  const found = byName.get(name);
  if (!found) throw new Error(`no resource ${name} in ${schemaData.release}`);
  return found;
}

/** By `apps/v1` and `Deployment`. Subresource kinds (Scale, Eviction …) are no resources and not found here. */
export function findKind(apiVersion: string, kind: string): ResourceKind | undefined {
  return byKind.get(`${apiVersion}/${kind}`);
}

/** The subresource, or undefined where the resource has none of that name. */
export function findSubresource(kind: ResourceKind, name: string): Subresource | undefined {
  return kind.subresources.find((sub) => sub.name === name);
}

export function isSubresourceServed(kind: ResourceKind, name: string): boolean {
  return kind.served && !traits.unservedSubresources.has(`${kind.groupResource}/${name}`);
}
