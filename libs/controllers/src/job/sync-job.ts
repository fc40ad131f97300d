import type { ClusterState, Condition } from '#libs/cluster-state';
import type { Reconciliation, Step } from '#libs/control-loop';
import { formatTime, jsonEqual, type KubeObject } from '#libs/kernel';
import { isNamespaceGoing } from '../services/service';
import { deadlineOf, endOf, jobCondition } from './finish';
import { isSuspended } from './job-pods';
import { manage } from './manage';
import { deletionOf, untrack } from './new-pods';
import { nextBackoff, type BackoffRecord } from './pod-failures';
import { viewOf, type JobView } from './sync-context';
import { shownStatus, track, type JobStatus, type Tracked } from './tracking';

export const jobs = 'jobs.batch';
/** The least delay before a Job is looked at again for want of pods, ms. */
const leastDelayMs = 1_000;

interface Surroundings {
  backoff: BackoffRecord | undefined;
  now: number;
  /** The last try to write something failed. */
  failed: boolean;
}

/**
 * One look at a Job that is not over (upstream `syncJob`). Pods are created and deleted in looks of their own; otherwise the status is
 * written, and then the mark is taken off the pods that it tells of. `memory` is the record of failures, where the status that tells of
 * them is written.
 */
export function syncJob(
  cluster: ClusterState,
  job: KubeObject,
  pods: readonly KubeObject[],
  { backoff, now, failed }: Surroundings,
): Reconciliation {
  const view = viewOf(job, pods);
  const record = nextBackoff(backoff, view.newSucceeded, view.newFailed);
  const wakeAt = deadlineOf(job);
  const end = endOf(view, now);
  const before = (job.status ?? {}) as JobStatus;
  const startTime = before.startTime ?? (isSuspended(job) ? undefined : formatTime(now));
  const status: JobStatus = { ...before, startTime, active: view.active.length, ready: view.ready, terminating: view.terminating };
  if (end) {
    const terminating = view.terminating + view.active.length;
    return written(view, { ...status, active: 0, ready: 0, terminating }, { end, record, now }, view.active.map(deletionOf));
  }
  if (job.metadata.deletionTimestamp) return written(view, status, { end: completion(view, view.active.length, now), record, now }, []);
  const creations = failed ? 1 : isNamespaceGoing(cluster, job.metadata.namespace as string) ? 0 : Math.max(1, view.active.length);
  const managed = manage(view, record, now, creations);
  if (managed.steps.length > 0)
    return { steps: managed.steps, sequential: managed.steps.some(({ step }) => step.startsWith('untrack/')), wakeAt };
  const { waitsUntil } = managed;
  // While it waits to create pods, a Job tells of no active ones; with ready ones among them the server refuses that.
  const isRefused = waitsUntil !== undefined && view.ready > 0;
  const active = waitsUntil === undefined ? view.active.length : 0;
  const complete = completion(view, active, now);
  const shown = complete ? status : { ...status, ...suspension(job, status, now) };
  const again = waitsUntil === undefined ? wakeAt : Math.min(Math.max(waitsUntil, now + leastDelayMs), wakeAt ?? Infinity);
  if (isRefused) return { steps: [], wakeAt: again };
  return { ...written(view, { ...shown, active }, { end: complete, record, now }, []), wakeAt: again };
}

/** As many pods have succeeded as were asked for; a Job that asks for none is complete once one has and none is left. */
function completion({ job, succeeded }: JobView, active: number, now: number): Condition | undefined {
  const completions = job.spec?.completions as number | undefined;
  const isComplete = active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  return isComplete
    ? jobCondition('SuccessCriteriaMet', 'CompletionsReached', 'Reached expected number of succeeded pods', now)
    : undefined;
}

function suspension(job: KubeObject, { conditions = [] }: JobStatus, now: number): Partial<JobStatus> {
  const present = conditions.find(({ type }) => type === 'Suspended');
  if (isSuspended(job)) {
    if (present?.status === 'True') return {};
    return { conditions: replaced(conditions, jobCondition('Suspended', 'JobSuspended', 'Job suspended', now)) };
  }
  if (present?.status !== 'True') return {};
  const resumed = { ...jobCondition('Suspended', 'JobResumed', 'Job resumed', now), status: 'False' };
  return { conditions: replaced(conditions, resumed), startTime: formatTime(now) };
}

function replaced(conditions: readonly Condition[], next: Condition): Condition[] {
  const rest = conditions.map((condition) => (condition.type === next.type ? next : condition));
  return conditions.some(({ type }) => type === next.type) ? rest : [...rest, next];
}

interface Outcome {
  end: Condition | undefined;
  record: BackoffRecord;
  now: number;
}

/** The status, and what follows from it. */
function written(view: JobView, status: JobStatus, { end, record, now }: Outcome, deletions: Step[]): Reconciliation {
  const { job } = view;
  const tracked = track(view, status, end);
  const { conditions = [] } = tracked.status;
  // Why it ends is told before its pods are let go.
  const isInterim = end !== undefined && end.type !== 'Failed' && !conditions.some(({ type }) => type === end.type);
  if (isInterim) tracked.status.conditions = [...conditions, end];
  const isOtherwise = isInterim || tracked.isNew || !jsonEqual(heads(job.status), heads(tracked.status));
  const release = tracked.release.map(untrack);
  if (end && !isOtherwise && release.length === 0 && !tracked.isCut && deletions.length === 0 && mayEnd(tracked)) {
    return { steps: [statusStep(job, shownStatus(ended(tracked.status, end, now), tracked.uncounted))] };
  }
  const flush = isOtherwise || tracked.isCounted ? [statusStep(job, shownStatus(tracked.status, tracked.uncounted))] : [];
  return { steps: [...deletions, ...flush, ...release], sequential: true, ...(flush.length > 0 ? { memory: record } : {}) };
}

/** What a status tells beside the numbers of ended pods. */
function heads(status: JobStatus | undefined): unknown {
  const { active = 0, ready, terminating, startTime, conditions } = status ?? {};
  return [active, ready, terminating, startTime, conditions];
}

function mayEnd({ uncounted, status }: Tracked): boolean {
  return uncounted.succeeded.length + uncounted.failed.length === 0 && (status.terminating ?? 0) === 0;
}

function ended(status: JobStatus, end: Condition, now: number): JobStatus {
  const type = end.type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed';
  const condition = jobCondition(type, end.reason ?? '', end.message ?? '', now);
  const completionTime = type === 'Complete' ? { completionTime: condition.lastTransitionTime as string } : {};
  return { ...status, ...completionTime, conditions: replaced(status.conditions ?? [], condition) };
}

function statusStep(job: KubeObject, status: JobStatus): Step {
  const { namespace, name } = job.metadata;
  const target = { resource: jobs, namespace, name };
  return { step: 'status', request: { verb: 'update', target, subresource: 'status', object: { ...job, status } as KubeObject } };
}
