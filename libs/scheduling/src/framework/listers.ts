import type { KubeObject } from '#libs/kernel';
import type { Labels } from './selectors';
import { noLabels, selectorMatches } from './selectors';
import type { Selector } from './selectors';

/** The kinds beside pods and nodes that decisions depend on, by their resource name. */
export const listedResources = [
  'namespaces',
  'services',
  'replicationcontrollers',
  'replicasets',
  'statefulsets',
  'poddisruptionbudgets',
  'persistentvolumes',
  'persistentvolumeclaims',
  'storageclasses',
  'csinodes',
  'csidrivers',
  'csistoragecapacities',
  'volumeattachments',
  'resourceclaims',
  'resourceslices',
  'deviceclasses',
] as const;
export type ListedResource = (typeof listedResources)[number];

/** Objects of one kind, by namespace and name, in the order they came. */
export class ObjectTable {
  private readonly namespaces = new Map<string, Map<string, KubeObject>>();
  version = 0;

  get(namespace: string, name: string): KubeObject | undefined {
    return this.namespaces.get(namespace)?.get(name);
  }

  set(object: KubeObject): void {
    const namespace = object.metadata.namespace ?? '';
    let objects = this.namespaces.get(namespace);
    if (objects === undefined) this.namespaces.set(namespace, (objects = new Map()));
    objects.set(object.metadata.name, object);
    this.version++;
  }

  delete(namespace: string, name: string): void {
    const objects = this.namespaces.get(namespace);
    if (objects?.delete(name) && objects.size === 0) this.namespaces.delete(namespace);
    this.version++;
  }

  clear(): void {
    this.namespaces.clear();
    this.version++;
  }

  inNamespace(namespace: string): Iterable<KubeObject> {
    return this.namespaces.get(namespace)?.values() ?? nothing;
  }

  *all(): Iterable<KubeObject> {
    for (const objects of this.namespaces.values()) yield* objects.values();
  }

  get isEmpty(): boolean {
    return this.namespaces.size === 0;
  }
}

const nothing: readonly KubeObject[] = [];

/** The objects beside nodes and pods that plugins read, by kind (upstream: the informers' listers). */
export class Listers {
  /** All of them from the start: who only reads changes nothing. */
  private readonly tables = new Map(listedResources.map((resource): [ListedResource, ObjectTable] => [resource, new ObjectTable()]));

  table(resource: ListedResource): ObjectTable {
    return this.tables.get(resource) as ObjectTable;
  }

  namespaceLabels(namespace: string): Labels {
    return this.table('namespaces').get('', namespace)?.metadata.labels ?? noLabels;
  }

  *namespacesMatching(selector: Selector): Iterable<string> {
    for (const namespace of this.table('namespaces').all()) {
      if (selectorMatches(selector, namespace.metadata.labels ?? noLabels)) yield namespace.metadata.name;
    }
  }
}

/** What a kind is called in an API path, of those the scheduler reads. */
export function isListedResource(resource: string): resource is ListedResource {
  return (listedResources as readonly string[]).includes(resource);
}
