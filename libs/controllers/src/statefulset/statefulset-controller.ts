import { conditionOf, type ClusterState, type FoldedAppend, type ObjectChange } from '#libs/cluster-state';
import { ofNoObject, type DecisionContext, type Reconciler, type Reconciliation, type StepFailure } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { controllerOf, keyOf, objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import { controllerRevisions, inOrder } from '../history/controller-revision';
import { surplusRevisions, updateRevisionOf } from '../history/update-revision';
import { ClaimIndex } from '../loop/claim-index';
import { claim, controllerReference } from '../loop/claims';
import { ownersOfChange } from '../loop/controlling-owner';
import { Deeds, type Deed } from '../loop/deeds';
import { report, statusWrite } from '../loop/report';
import { availableAt } from '../replicaset/pod-state';
import { claims, claimTemplates } from './claims-of-pod';
import { ordinalOf, podRevision, statefulSets } from './identity';
import { managePods } from './manage-pods';
import { component, PodSteps } from './pod-steps';
import { countPods, isOutdated, minReadySecondsOf, withCompletedUpdate, writtenStatus } from './statefulset-status';

const ownerKind = { resource: statefulSets, kind: 'StatefulSet' };

interface StatefulSetIndex {
  pods: ClaimIndex;
  revisions: ClaimIndex;
  deeds: Deeds;
}

/** Keeps pods of stable names, their claims, and the history of their template (upstream statefulset controller). Subjects: `NAMESPACE/NAME`. */
export const statefulSetController: Reconciler<StatefulSetIndex> = {
  name: component,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [statefulSets, 'pods', controllerRevisions, claims, ofNoObject],
  index: (cluster) => ({
    pods: new ClaimIndex(cluster, statefulSets, 'pods'),
    revisions: new ClaimIndex(cluster, statefulSets, controllerRevisions),
    deeds: new Deeds(component, deedOf),
  }),
  allSubjects: (_index, cluster) => cluster.table(statefulSets).keys(),

  *follow({ pods, revisions, deeds }, append, cluster): Iterable<string> {
    const told = deeds.follow(append);
    if (told) yield told;
    const { change } = append;
    if (!change) return;
    yield* pods.follow(change);
    yield* revisions.follow(change);
    if (change.resource === statefulSets && change.type !== 'DELETED') yield change.key;
    if (change.resource === 'pods' || change.resource === controllerRevisions) yield* ownersOf(change, cluster);
    if (change.resource === claims && change.type === 'DELETED') yield* setsWithClaim(change, cluster);
  },

  reconcile: syncStatefulSet,
};

/** What the log says was done, as the set's Events tell it. A claim is its set's by the look that made it. */
function deedOf({ resource, type, namespace, name, before, object }: ObjectChange, { events }: FoldedAppend): Deed | undefined {
  const { basis } = (events[0]?.metadata ?? {}) as { basis?: { subject?: string } };
  const owner = resource === 'pods' ? controllerOf(object)?.name : basis?.subject?.slice(namespace.length + 1);
  if (owner === undefined) return undefined;
  const tell = (reason: string, message: string): Deed => {
    const data = { resource: statefulSets, namespace, name: owner, uid: '', type: 'Normal', reason, message, component };
    return { subject: objectKey(namespace, owner), report: fact('Reported', data) };
  };
  if (resource === claims && type === 'ADDED') {
    const pod = name.slice(name.lastIndexOf(`-${owner}-`) + 1);
    return tell('SuccessfulCreate', `create Claim ${name} Pod ${pod} in StatefulSet ${owner} success`);
  }
  if (resource !== 'pods') return undefined;
  if (type === 'ADDED') return tell('SuccessfulCreate', `create Pod ${name} in StatefulSet ${owner} successful`);
  const isDeleted = object.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp;
  return isDeleted ? tell('SuccessfulDelete', `delete Pod ${name} in StatefulSet ${owner} successful`) : undefined;
}

/** The sets that own the object, unless they count both versions alike. */
function* ownersOf(change: ObjectChange, cluster: ClusterState): Iterable<ObjectKey> {
  const { type, resource, before, object } = change;
  const isAlike = resource === 'pods' && type === 'MODIFIED' && before && countsAlike(before, object);
  if (!isAlike) yield* ownersOfChange(cluster, ownerKind, change);
}

function countsAlike(before: KubeObject, after: KubeObject): boolean {
  const [was, is] = [conditionOf(before, 'Ready'), conditionOf(after, 'Ready')];
  return (
    before.metadata.labels === after.metadata.labels &&
    before.metadata.ownerReferences === after.metadata.ownerReferences &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.status?.phase === after.status?.phase &&
    was?.status === is?.status &&
    was?.lastTransitionTime === is?.lastTransitionTime
  );
}

/** A pod may have waited for a claim to be gone. */
function* setsWithClaim({ namespace, name }: ObjectChange, cluster: ClusterState): Iterable<ObjectKey> {
  for (const set of cluster.list(statefulSets, namespace)) {
    if (claimTemplates(set).some(({ metadata }) => name.startsWith(`${metadata.name}-${set.metadata.name}-`))) yield keyOf(set);
  }
}

/** One look: adoptions and releases first and alone, then the revision of the template, then pods and status. */
function syncStatefulSet(
  cluster: ClusterState,
  index: StatefulSetIndex,
  key: string,
  { now }: DecisionContext,
  failure?: StepFailure,
): Reconciliation | undefined {
  const set = cluster.byKey(statefulSets, key);
  if (!set) return undefined;
  const ref = controllerReference(set, 'apps/v1', 'StatefulSet');
  const owner = { key, object: set, ref };
  const history = claim(cluster, index.revisions, owner, controllerRevisions, () => true);
  const members = claim(cluster, index.pods, owner, 'pods', (pod) => ordinalOf(set, pod) !== undefined);
  const records = [...withUid(set, index.deeds.of(key)), ...failureReports(set, failure)];
  const adoptions = [...history.steps.filter(({ step }) => step.startsWith('adopt/')), ...members.steps];
  if (adoptions.length > 0) return { records, steps: adoptions };
  const revisions = inOrder(history.owned);
  const update = updateRevisionOf(cluster, set, ref, revisions, (set.status?.collisionCount as number | undefined) ?? 0);
  if (update.step) return { records, steps: [update.step] };
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update.revision;
  const both = { current, update: update.revision };
  const steps = new PodSteps(cluster, set);
  const isGoing = set.metadata.deletionTimestamp !== undefined;
  const outdated = isGoing
    ? 0
    : managePods(steps, { set, ref, pods: members.owned, revisions: both, now, hasFailed: failure !== undefined });
  const counted = countPods(set, members.owned, both, { collisions: update.collisions, now });
  const status = withCompletedUpdate(set, { ...counted, currentReplicas: counted.currentReplicas - outdated });
  const statusSteps = isOutdated(set.status, status)
    ? [{ step: 'status', request: statusWrite(statefulSets, set, { status: writtenStatus(status) }) }]
    : [];
  const live = new Set([current.metadata.name, update.revision.metadata.name, ...members.owned.map((pod) => podRevision(pod) ?? '')]);
  const limit = (set.spec?.revisionHistoryLimit as number | undefined) ?? 10;
  return {
    records: [...records, ...steps.reports],
    steps: [...steps.steps, ...statusSteps, ...surplusRevisions(revisions, live, limit)],
    wakeAt: nextAvailability(set, members.owned, now),
  };
}

/** Who made a claim is known by the name alone: the set that deeds are told of is the one that is there. */
function withUid(set: KubeObject, deeds: readonly Fact[]): Fact[] {
  return deeds.map((deed) => fact('Reported', { ...deed.data, uid: set.metadata.uid } as never));
}

/** When the next pod will have been ready for long enough. */
function nextAvailability(set: KubeObject, pods: readonly KubeObject[], now: number): number | undefined {
  const times = pods.map((pod) => availableAt(pod, minReadySecondsOf(set))).filter((at) => at !== undefined && at > now);
  return times.length === 0 ? undefined : Math.min(...(times as number[]));
}

const verbs: Readonly<Record<string, { verb: string; reason: string }>> = {
  create: { verb: 'create', reason: 'FailedCreate' },
  delete: { verb: 'delete', reason: 'FailedDelete' },
  update: { verb: 'update', reason: 'FailedUpdate' },
};

/** What upstream tells of a write that was refused. */
function failureReports(set: KubeObject, failure: StepFailure | undefined): Fact[] {
  if (!failure) return [];
  const { name } = set.metadata;
  const [what = '', object = ''] = failure.step.split('/');
  const tell = (reason: string, message: string): Fact => report(component, statefulSets, set, { type: 'Warning', reason, message });
  if (what === 'claim') {
    const pod = object.slice(object.lastIndexOf(`-${name}-`) + 1);
    return [
      tell('FailedCreate', `create Claim ${object} for Pod ${pod} in StatefulSet ${name} failed error: ${failure.message}`),
      tell('FailedCreate', `create Pod ${pod} in StatefulSet ${name} failed error: failed to create PVC ${object}: ${failure.message}`),
    ];
  }
  const known = verbs[what];
  return known && object.startsWith(`${name}-`)
    ? [tell(known.reason, `${known.verb} Pod ${object} in StatefulSet ${name} failed error: ${failure.message}`)]
    : [];
}
