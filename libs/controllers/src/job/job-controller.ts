import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { ofNoObject, type DecisionContext, type Reconciler, type Reconciliation, type StepFailure } from '#libs/control-loop';
import { controllerOf, objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import { claim, controllerReference } from '../loop/claims';
import { ClaimIndex } from '../loop/claim-index';
import { controllingOwner } from '../loop/controlling-owner';
import { Deeds } from '../loop/deeds';
import { report } from '../loop/report';
import { jobDeed } from './deeds';
import { finishedBy } from './finish';
import { isTracked, trackingFinalizer } from './job-pods';
import { untrack } from './new-pods';
import type { BackoffRecord } from './pod-failures';
import { jobs, syncJob } from './sync-job';

const name = 'job-controller';
/** What pods do is looked at so much later, and once for all that has happened meanwhile, ms. */
const batchMs = 1_000;

interface JobIndex {
  /** Undefined: there has never been a Job. */
  claims: ClaimIndex | undefined;
  deeds: Deeds;
  backoffs: Map<ObjectKey, BackoffRecord>;
  /** Jobs that wait for a batch to be complete: until when, ms. */
  batches: Map<ObjectKey, number>;
}

const jobSubject = (key: ObjectKey): string => `job ${key}`;
const podSubject = (key: ObjectKey): string => `pod ${key}`;

/** Runs Jobs to their completion (upstream job controller). Subjects: `job NAMESPACE/NAME`; `pod NAMESPACE/NAME` of pods that nobody counts any more. */
export const jobController: Reconciler<JobIndex> = {
  name,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [jobs, 'pods', ofNoObject],
  backOff: { firstMs: 1_000, maxMs: 60_000 },

  index: (cluster) => ({
    claims: cluster.table(jobs).objects.size > 0 ? new ClaimIndex(cluster, jobs, 'pods') : undefined,
    deeds: new Deeds(name, jobDeed),
    backoffs: new Map(),
    batches: new Map(),
  }),

  *allSubjects(_index, cluster): Iterable<string> {
    for (const key of cluster.table(jobs).keys()) yield jobSubject(key);
    for (const [key, pod] of cluster.table('pods').objects) if (isTracked(pod) && isUncountable(pod, cluster)) yield podSubject(key);
  },

  *follow(index, append, cluster): Iterable<string> {
    const told = index.deeds.follow(append);
    if (told) yield jobSubject(told);
    const { change } = append;
    if (change?.resource === jobs) yield* followJob(index, append, cluster);
    else if (change?.resource === 'pods') yield* followPod(index, append, cluster);
  },

  reconcile(cluster, index, subject, context, failure) {
    const space = subject.indexOf(' ');
    const key = subject.slice(space + 1);
    if (subject.slice(0, space) === 'job') return reconcileJob(cluster, index, key, context, failure);
    const pod = cluster.byKey('pods', key);
    return pod && isTracked(pod) && isUncountable(pod, cluster) ? { steps: [untrack(pod)] } : undefined;
  },

  looked({ backoffs, batches }, subject, memory, now) {
    const key = subject.slice(subject.indexOf(' ') + 1);
    if ((batches.get(key) ?? 0) > now) return;
    batches.delete(key);
    if (memory) backoffs.set(key, memory as BackoffRecord);
  },
};

function* followJob(index: JobIndex, append: FoldedAppend, cluster: ClusterState): Iterable<string> {
  const { type, key, object, before } = append.change as NonNullable<FoldedAppend['change']>;
  if (index.claims) index.claims.follow(append.change as NonNullable<FoldedAppend['change']>);
  else index.claims = new ClaimIndex(cluster, jobs, 'pods');
  if (type === 'DELETED' || finishedBy(object)) {
    index.backoffs.delete(key);
    index.batches.delete(key);
    for (const { resource, key: pod } of cluster.indices.dependentsOf(object.metadata.uid)) if (resource === 'pods') yield podSubject(pod);
    return;
  }
  const isOwn = append.events[0]?.metadata.actor === name;
  if (isOwn || type === 'ADDED' || before?.metadata.generation !== object.metadata.generation) {
    index.batches.delete(key);
    yield jobSubject(key);
  } else yield* batched(index, key, append.time);
}

/** The Jobs that own the pod, or did, or may adopt it; what the controller has done itself it goes on with at once. */
function* followPod(index: JobIndex, append: FoldedAppend, cluster: ClusterState): Iterable<string> {
  const change = append.change as NonNullable<FoldedAppend['change']>;
  const { key, object, before, type, namespace } = change;
  const adopters = index.claims?.follow(change) ?? [];
  const owners = new Set<ObjectKey>(adopters);
  if (type !== 'MODIFIED' || !before || !countsAlike(before, object)) {
    for (const version of before && before !== object ? [object, before] : [object]) {
      const owner = owningJob(version, cluster);
      if (owner) owners.add(objectKey(namespace, owner.metadata.name));
    }
  }
  if (type !== 'DELETED' && isTracked(object) && isUncountable(object, cluster)) yield podSubject(key);
  const isOwn = append.events[0]?.metadata.actor === name;
  for (const owner of owners) {
    if (!isOwn) yield* batched(index, owner, append.time);
    else {
      index.batches.delete(owner);
      yield jobSubject(owner);
    }
  }
}

function* batched({ batches }: JobIndex, key: ObjectKey, time: number): Iterable<string> {
  if (batches.has(key)) return;
  batches.set(key, time + batchMs);
  yield jobSubject(key);
}

function countsAlike(before: KubeObject, after: KubeObject): boolean {
  const { labels, ownerReferences, finalizers, deletionTimestamp, annotations } = after.metadata;
  return (
    before.status === after.status &&
    before.metadata.labels === labels &&
    before.metadata.annotations === annotations &&
    before.metadata.ownerReferences === ownerReferences &&
    before.metadata.finalizers === finalizers &&
    before.metadata.deletionTimestamp === deletionTimestamp
  );
}

function owningJob(pod: KubeObject, cluster: ClusterState): KubeObject | undefined {
  return controllingOwner(cluster, { resource: jobs, kind: 'Job' }, pod);
}

/** No Job will ever count the pod: it has none, or one that is over or gone. */
function isUncountable(pod: KubeObject, cluster: ClusterState): boolean {
  const reference = controllerOf(pod);
  if (reference && (reference.kind !== 'Job' || reference.apiVersion !== 'batch/v1')) return false;
  const job = owningJob(pod, cluster);
  if (job && isManagedElsewhere(job)) return false;
  return !job || finishedBy(job) !== undefined;
}

function isManagedElsewhere({ spec }: KubeObject): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller';
}

function reconcileJob(
  cluster: ClusterState,
  { claims, deeds, backoffs, batches }: JobIndex,
  key: ObjectKey,
  context: DecisionContext,
  failure: StepFailure | undefined,
): Reconciliation | undefined {
  const job = cluster.byKey(jobs, key);
  if (!job || isManagedElsewhere(job)) return undefined;
  const untold = [...deeds.of(key)];
  const at = batches.get(key);
  if (at !== undefined && at > context.now && !failure) return { records: untold, steps: [], wakeAt: at };
  if (finishedBy(job) || !claims) return untold.length > 0 ? { records: untold, steps: [] } : undefined;
  const ref = controllerReference(job, 'batch/v1', 'Job');
  const { owned, steps } = claim(cluster, claims, { key, object: job, ref, finalizer: trackingFinalizer }, 'pods', () => true);
  if (steps.length > 0) return { records: untold, steps };
  if (failure?.step.startsWith('create/')) {
    untold.push(report(name, jobs, job, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${failure.message}` }));
  } else if (failure?.step.startsWith('delete/')) {
    untold.push(report(name, jobs, job, { type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${failure.message}` }));
  }
  const pods = owned.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const found = syncJob(cluster, job, pods, { backoff: backoffs.get(key), now: context.now, failed: failure !== undefined });
  return { ...found, records: untold };
}
