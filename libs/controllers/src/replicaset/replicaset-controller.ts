import { conditionOf, type ClusterState, type ObjectChange } from '#libs/cluster-state';
import { ofNoObject, type DecisionContext, type Reconciler, type Reconciliation, type Step, type StepFailure } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { controllerOf, jsonEqual, objectKey, type KubeObject, type ObjectKey, type OwnerReference } from '#libs/kernel';
import { ClaimIndex } from '../loop/claim-index';
import { claim, controllerReference, dependentsOf } from '../loop/claims';
import { ownersOfChange } from '../loop/controlling-owner';
import { Deeds, type Deed } from '../loop/deeds';
import { report, statusWrite } from '../loop/report';
import { podsToDelete } from './deletion-rank';
import { generatedPodName, podFromTemplate } from './pod-from-template';
import { isActive } from './pod-state';
import { countPods, withReplicaFailure, type ReplicaSetStatus } from './replicaset-status';

export const replicaSets = 'replicasets.apps';
const name = 'replicaset-controller';
/** Creations or deletions of one look (upstream BurstReplicas). */
const burstMax = 500;

const ownerKind = { resource: replicaSets, kind: 'ReplicaSet' };

interface ReplicaSetIndex {
  claims: ClaimIndex;
  deeds: Deeds;
}

/** Keeps as many active pods as a ReplicaSet asks for, and its status (upstream replicaset controller). Subjects: `NAMESPACE/NAME`. */
export const replicaSetController: Reconciler<ReplicaSetIndex> = {
  name,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [replicaSets, 'pods', ofNoObject],
  index: (cluster) => ({ claims: new ClaimIndex(cluster, replicaSets, 'pods'), deeds: new Deeds(name, deedOf) }),
  allSubjects: (_index, cluster) => cluster.table(replicaSets).keys(),

  *follow({ claims, deeds }, append, cluster): Iterable<string> {
    const told = deeds.follow(append);
    if (told) yield told;
    const { change } = append;
    if (!change) return;
    yield* claims.follow(change);
    if (change.resource === replicaSets) {
      if (change.type !== 'DELETED') yield change.key;
    } else if (change.resource === 'pods') yield* ownersOf(change, cluster);
  },

  reconcile: syncReplicaSet,
};

function deedOf({ resource, type, namespace, before, object }: ObjectChange): Deed | undefined {
  const owner = resource === 'pods' ? controllerOf(object) : undefined;
  if (!owner) return undefined;
  const { name: pod, deletionTimestamp } = object.metadata;
  const tell = (reason: string, message: string): Deed => {
    const data = { resource: replicaSets, namespace, name: owner.name, uid: owner.uid, type: 'Normal', reason, message, component: name };
    return { subject: objectKey(namespace, owner.name), report: fact('Reported', data) };
  };
  if (type === 'ADDED') return tell('SuccessfulCreate', `Created pod: ${pod}`);
  return deletionTimestamp && !before?.metadata.deletionTimestamp ? tell('SuccessfulDelete', `Deleted pod: ${pod}`) : undefined;
}

/** The ReplicaSets that own the pod, unless they count both versions alike. */
function* ownersOf(change: ObjectChange, cluster: ClusterState): Iterable<ObjectKey> {
  const { type, before, object } = change;
  if (type !== 'MODIFIED' || !before || !countsAlike(before, object)) yield* ownersOfChange(cluster, ownerKind, change);
}

function countsAlike(before: KubeObject, after: KubeObject): boolean {
  const was = conditionOf(before, 'Ready');
  const is = conditionOf(after, 'Ready');
  return (
    before.metadata.labels === after.metadata.labels &&
    before.metadata.ownerReferences === after.metadata.ownerReferences &&
    isActive(before) === isActive(after) &&
    was?.status === is?.status &&
    was?.lastTransitionTime === is?.lastTransitionTime
  );
}

/** One look: adoptions and releases first and alone; then creations or deletions, and the status. */
function syncReplicaSet(
  cluster: ClusterState,
  index: ReplicaSetIndex,
  key: string,
  context: DecisionContext,
  failure?: StepFailure,
): Reconciliation | undefined {
  const replicaSet = cluster.byKey(replicaSets, key);
  if (!replicaSet) return undefined;
  const ref = controllerReference(replicaSet, 'apps/v1', 'ReplicaSet');
  const claims = claim(cluster, index.claims, { key, object: replicaSet, ref }, 'pods', isActive);
  if (claims.steps.length > 0) return { steps: claims.steps };
  const pods = claims.owned.filter(isActive);
  const managed = replicaSet.metadata.deletionTimestamp ? nothing : manage(cluster, replicaSet, ref, pods, context, failure);
  const { status, nextAvailableAt } = countPods(replicaSet, pods, context.now);
  const after = withReplicaFailure(status, managed.failure, context.now);
  const steps = [...managed.steps];
  if (!jsonEqual(replicaSet.status, after) && !(managed.unfinished && differsInCountsOnly(replicaSet.status, after))) {
    steps.push({ step: 'status', request: statusWrite(replicaSets, replicaSet, { status: after }) });
  }
  return { records: [...index.deeds.of(key), ...managed.records], steps, wakeAt: nextAvailableAt };
}

interface Managed {
  steps: Step[];
  /** What went wrong at the last look, told now. */
  records: Fact[];
  failure: { reason: string; message: string } | undefined;
  /** More changes are on their way: the counts are written when they are there. */
  unfinished: boolean;
}

const nothing: Managed = { steps: [], records: [], failure: undefined, unfinished: false };

function manage(
  cluster: ClusterState,
  replicaSet: KubeObject,
  ref: OwnerReference,
  pods: readonly KubeObject[],
  context: DecisionContext,
  failure: StepFailure | undefined,
): Managed {
  const missing = ((replicaSet.spec?.replicas as number | undefined) ?? 1) - pods.length;
  if (missing > 0) return create(cluster, replicaSet, ref, pods.length, missing, context, failure);
  if (missing < 0) return remove(cluster, replicaSet, pods, -missing, context, failure);
  return nothing;
}

/**
 * Slow start: a look creates at most as many as there are already, one at least, so that what cannot be created is tried once and
 * not five hundred times; after a failure one alone.
 */
function create(
  cluster: ClusterState,
  replicaSet: KubeObject,
  ref: OwnerReference,
  present: number,
  missing: number,
  { chance }: DecisionContext,
  failure: StepFailure | undefined,
): Managed {
  const namespace = replicaSet.metadata.namespace as string;
  // Nothing can be created there any more, and nobody is told.
  if (cluster.get('namespaces', undefined, namespace)?.metadata.deletionTimestamp) return nothing;
  const count = failure ? 1 : Math.min(missing, Math.max(1, present), burstMax);
  const names = new Set<string>();
  for (let i = 0; i < count; i++) names.add(generatedPodName(cluster, namespace, replicaSet.metadata.name, names, chance, `pod/${i}`));
  const steps = [...names].map((pod): Step => {
    return {
      step: `create/${pod}`,
      request: { verb: 'create', resource: 'pods', namespace, object: podFromTemplate(replicaSet, ref, pod) },
    };
  });
  return managedBy(replicaSet, steps, failure && { reason: 'FailedCreate', message: failure.message }, 'Error creating');
}

function remove(
  cluster: ClusterState,
  replicaSet: KubeObject,
  pods: readonly KubeObject[],
  surplus: number,
  { now }: DecisionContext,
  failure: StepFailure | undefined,
): Managed {
  const siblings = surplus < pods.length ? siblingPods(cluster, replicaSet) : [];
  const chosen = podsToDelete(pods, siblings, Math.min(surplus, burstMax), now);
  const steps = chosen.map(({ metadata }): Step => {
    const target = { resource: 'pods', namespace: metadata.namespace, name: metadata.name };
    return { step: `delete/${metadata.name}`, request: { verb: 'delete', target, options: { preconditions: { uid: metadata.uid } } } };
  });
  return managedBy(replicaSet, steps, failure && { reason: 'FailedDelete', message: failure.message }, 'Error deleting');
}

function managedBy(replicaSet: KubeObject, steps: Step[], failure: Managed['failure'], words: string): Managed {
  if (!failure) return { steps, records: [], failure, unfinished: true };
  const { reason, message } = failure;
  return {
    steps,
    records: [report(name, replicaSets, replicaSet, { type: 'Warning', reason, message: `${words}: ${message}` })],
    failure,
    unfinished: false,
  };
}

/** Pods of all ReplicaSets with the same controller, this one's included; none where there is no controller. */
function siblingPods(cluster: ClusterState, replicaSet: KubeObject): KubeObject[] {
  const controller = controllerOf(replicaSet);
  if (!controller) return [];
  const found: KubeObject[] = [];
  for (const { resource, key } of cluster.indices.dependentsOf(controller.uid)) {
    const sibling = resource === replicaSets ? cluster.byKey(replicaSets, key) : undefined;
    if (sibling) found.push(...dependentsOf(cluster, sibling, 'pods'));
  }
  return found;
}

function differsInCountsOnly(before: ReplicaSetStatus | undefined, after: ReplicaSetStatus): boolean {
  return before?.observedGeneration === after.observedGeneration && jsonEqual(before?.conditions, after.conditions);
}
