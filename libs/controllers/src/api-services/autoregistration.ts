import type { Reconciler } from '#libs/control-loop';
import { jsonEqual, type KubeObject } from '#libs/kernel';
import { definitionResource as definitions } from '#libs/kube-api';

const resource = 'apiservices.apiregistration.k8s.io';
const managed = 'kube-aggregator.kubernetes.io/automanaged';
const continuously = 'true';
/** Groups of definitions stand behind those of the release. */
const groupPriorityMinimum = 1_000;
/** One for all: versions of a definition stand in the order of their names. */
const versionPriority = 100;

/** By the name of an APIService, the definitions that have its group version served. */
type Serving = Map<string, Set<string>>;

/**
 * An APIService for each group version that definitions have served, for as long as one has (upstream: crd-autoregister). Where an
 * APIService of somebody else has the name, it stands.
 */
export const apiServiceAutoregistration: Reconciler<Serving> = {
  name: 'apiservice-autoregistration-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  index(cluster) {
    const serving: Serving = new Map();
    for (const definition of cluster.table(definitions).objects.values())
      for (const name of servedBy(definition)) note(serving, name, definition);
    return serving;
  },

  follows: [definitions, resource],
  *follow(serving, { change }) {
    if (change?.resource === definitions) {
      const before = change.before ? servedBy(change.before) : [];
      const after = change.type === 'DELETED' ? [] : servedBy(change.object);
      for (const name of before) if (!after.includes(name)) forget(serving, name, change.name);
      for (const name of after) note(serving, name, change.object);
      const all = new Set([...before, ...after]);
      for (const name of all) if (before.includes(name) !== after.includes(name)) yield name;
    } else if (change?.resource === resource) {
      if (serving.has(change.name) || isManaged(change.object)) yield change.name;
    }
  },

  *allSubjects(serving, cluster) {
    yield* serving.keys();
    for (const service of cluster.table(resource).objects.values())
      if (isManaged(service) && !serving.has(service.metadata.name)) yield service.metadata.name;
  },

  reconcile(cluster, serving, name) {
    const present = cluster.get(resource, undefined, name);
    const wanted = serving.has(name) ? serviceOf(name) : undefined;
    if (!present) return wanted && { steps: [{ step: 'create', request: { verb: 'create', resource, object: wanted } }] };
    if (!isManaged(present) || present.metadata.deletionTimestamp) return undefined;
    const target = { resource, name };
    if (!wanted) {
      const options = { preconditions: { uid: present.metadata.uid } };
      return { steps: [{ step: 'delete', request: { verb: 'delete', target, options } }] };
    }
    if (jsonEqual(present.spec, wanted.spec)) return undefined;
    const object = { ...present, spec: wanted.spec };
    return { steps: [{ step: 'update', request: { verb: 'update', target, object } }] };
  },
};

function isManaged({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managed] === continuously;
}

function servedBy({ spec }: KubeObject): string[] {
  const { group, versions = [] } = spec as unknown as { group: string; versions?: { name: string; served: boolean }[] };
  return versions.filter(({ served }) => served).map(({ name }) => `${name}.${group}`);
}

function note(serving: Serving, name: string, { metadata }: KubeObject): void {
  const known = serving.get(name);
  if (known) known.add(metadata.name);
  else serving.set(name, new Set([metadata.name]));
}

function forget(serving: Serving, name: string, definition: string): void {
  const known = serving.get(name);
  known?.delete(definition);
  if (known?.size === 0) serving.delete(name);
}

function serviceOf(name: string): KubeObject {
  const [version = '', ...group] = name.split('.');
  return {
    metadata: { name, labels: { [managed]: continuously } },
    spec: { group: group.join('.'), version, groupPriorityMinimum, versionPriority },
  } as unknown as KubeObject;
}
