import type { ClusterState } from '#libs/cluster-state';
import type { Reconciler, Reconciliation, Step } from '#libs/control-loop';
import type { GroupResource, KubeObject } from '#libs/kernel';
import {
  cleanupFinalizer,
  conditionOf,
  isEstablished,
  isTakenByRelease,
  saysSo,
  withDefinitionCondition,
  type DefinitionFinding,
  type DefinitionSpec,
} from '#libs/kube-api';
import { definitions, statusStep } from './definitions';

/** Names of the definitions that are to go, by the resource that they define. */
type Terminating = Map<GroupResource, string>;

/** Deletions in one look; what is left is for the next. */
const deletionsMax = 500;

/** Their objects are kept where those of a definition of the same name would be: they are not touched. */
const overlapping = new Set<GroupResource>(['apiservices.apiregistration.k8s.io', definitions]);

const inProgress: DefinitionFinding = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};

/** A definition goes when no object of its kind is left: these are deleted first, by whatever holds each of them. */
export const customResourceFinalizer: Reconciler<Terminating> = {
  name: 'crd-finalizer',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  index(cluster) {
    const terminating: Terminating = new Map();
    for (const definition of cluster.table(definitions).objects.values()) note(terminating, definition);
    return terminating;
  },

  *follow(terminating, { change }) {
    if (!change) return;
    if (change.resource === definitions) {
      if (change.type === 'DELETED') terminating.delete(resourceOf(change.object));
      else if (note(terminating, change.object)) yield change.object.metadata.name;
      return;
    }
    const name = change.type === 'DELETED' && terminating.size > 0 ? terminating.get(change.resource) : undefined;
    if (name !== undefined) yield name;
  },

  *allSubjects(terminating) {
    yield* terminating.values();
  },

  reconcile(cluster, _terminating, name, { now }) {
    const definition = cluster.get(definitions, undefined, name);
    return definition && isTerminating(definition) ? finalize(cluster, definition, now) : undefined;
  },
};

function resourceOf({ spec }: KubeObject): GroupResource {
  const { group, names } = spec as DefinitionSpec;
  return `${names.plural}.${group}`;
}

function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(cleanupFinalizer) ?? false);
}

/** Whether the definition is to go, and waits for this controller. */
function note(terminating: Terminating, definition: KubeObject): boolean {
  const waits = isTerminating(definition);
  if (waits) terminating.set(resourceOf(definition), definition.metadata.name);
  else terminating.delete(resourceOf(definition));
  return waits;
}

function finalize(cluster: ClusterState, definition: KubeObject, now: number): Reconciliation {
  const resource = resourceOf(definition);
  if (!saysSo(conditionOf(definition, 'Terminating'), inProgress)) {
    return { steps: [statusStep('begin', withDefinitionCondition(definition, inProgress, now))] };
  }
  if (overlapping.has(resource)) {
    return release(definition, 'OverlappingBuiltInResource', 'instances overlap with built-in resources in storage', now);
  }
  if (!isEstablished(definition)) return release(definition, 'NeverEstablished', 'resource was never established', now);
  const { objects } = cluster.table(resource);
  // What is there under the name of a kind of the release is not of this definition.
  if (objects.size === 0 || isTakenByRelease(definition))
    return release(definition, 'InstanceDeletionCompleted', 'removed all instances', now);
  return { steps: deletions(resource, [...objects.values()]) };
}

/** Of what is not being deleted yet, in order of name. */
function deletions(resource: GroupResource, objects: readonly KubeObject[]): Step[] {
  const key = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;
  return objects
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .slice(0, deletionsMax)
    .map((object): Step => {
      const { namespace, name, uid } = object.metadata;
      const target = { resource, namespace, name };
      return { step: `delete/${key(object)}`, request: { verb: 'delete', target, options: { preconditions: { uid } } } };
    });
}

function release(definition: KubeObject, reason: string, message: string, now: number): Reconciliation {
  const finding: DefinitionFinding = { type: 'Terminating', status: 'False', reason, message };
  const finalizers = definition.metadata.finalizers?.filter((other) => other !== cleanupFinalizer);
  const released = { ...definition, metadata: { ...definition.metadata, finalizers } };
  return { steps: [statusStep('finalize', withDefinitionCondition(released, finding, now))] };
}
