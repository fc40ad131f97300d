import { conditionOf } from '#libs/cluster-state';
import { fact, type Fact } from '#libs/events';
import { durationMs, type KubeObject } from '#libs/kernel';
import { hexOf, resolvedImage } from '../images';
import { specOf, statusOf } from '../pod-types';
import { crashLoopMessage, podInFull, restartWaitMs, resyncMs } from './back-off';
import { allRuns, endRun, exitOf, forgetPrevious, neverStarted, type ContainerRun, type PodRuntime } from './container-run';
import { probe } from './probes';
import { definitionChanged, plannedStarts, restartAt, restarts } from './starts';
import { ownEndOf, planStop, type Stop } from './stop-plan';

export interface Passage {
  readonly pod: KubeObject;
  /** Ms since the epoch. */
  readonly now: number;
  /** The first deletion request, as far as it is remembered. */
  readonly deletion: { at: number; graceSeconds: number } | undefined;
  /** An address for the pod's sandbox. */
  readonly assignAddress: () => string;
}

/** What has happened to a pod's containers up to a moment. */
export interface Progress {
  facts: Fact[];
  /** Events for the pod's owner that no change of the pod shows. */
  notes: { type: 'Normal' | 'Warning'; reason: string; message: string }[];
  /** When something will happen next though nothing changes, ms. */
  wakeAt?: number;
}

/** Lets happen to the containers what is due, in place. One call goes one step: what follows from it is due in the next. */
export function advance(runtime: PodRuntime, passage: Passage): Progress {
  const progress: Progress = { facts: [], notes: [] };
  const { pod, now } = passage;
  if (statusOf(pod).observedGeneration !== pod.metadata.generation) runtime.observedAt = now;
  const stop = requestedStop(runtime, passage, progress);
  if (stop) {
    stopAll(runtime, passage, stop, progress, isAnnounced(stop, pod));
    return progress;
  }
  endRuns(runtime, passage, progress);
  const completed = completion(runtime, passage);
  if (completed) stopAll(runtime, passage, completed, progress, progress.facts.length === 0);
  else startRuns(runtime, passage, progress);
  if (!runtime.finished) for (const run of allRuns(runtime)) wakeBy(progress, probe(run, now).changesAt, now);
  return progress;
}

function wakeBy(progress: Progress, at: number | undefined, now: number): void {
  if (at === undefined || at <= now) return;
  if (progress.wakeAt === undefined || at < progress.wakeAt) progress.wakeAt = at;
}

const deadlineExceeded = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** The order to stop everything that came first: a deletion, or the pod's deadline. */
function requestedStop(runtime: PodRuntime, passage: Passage, progress: Progress): Stop | undefined {
  const { pod, now } = passage;
  const spec = specOf(pod);
  const deletion = deletionStop(passage);
  if (spec.activeDeadlineSeconds === undefined) return deletion;
  const at = runtime.acceptedAt + spec.activeDeadlineSeconds * 1000;
  wakeBy(progress, at, now);
  if (now < at || (deletion && deletion.at <= at)) return deletion;
  runtime.verdict = deadlineExceeded;
  return { cause: 'deadline', at, graceSeconds: spec.terminationGracePeriodSeconds ?? 30 };
}

/**
 * A container under TERM keeps the grace it was given: a later request with a shorter one does not reach it (recorded from
 * v1.34.4). A kubelet that starts afterwards knows the shorter one only, and goes by it.
 */
function deletionStop({ pod, deletion }: Passage): Stop | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  if (!deletionTimestamp) return undefined;
  if (deletion) return { cause: 'deletion', ...deletion };
  const at = Date.parse(deletionTimestamp) - durationMs(deletionGracePeriodSeconds);
  return { cause: 'deletion', at, graceSeconds: deletionGracePeriodSeconds };
}

/** The status says already that the kubelet has begun to stop the containers. */
function isAnnounced(stop: Stop, pod: KubeObject): boolean {
  if (stop.cause === 'deletion') return statusOf(pod).observedGeneration === pod.metadata.generation;
  return conditionOf(pod, 'Ready')?.reason === 'PodFailed';
}

/** The pod's work is done, or cannot be: whatever still runs (sidecars) is to stop. */
function completion(runtime: PodRuntime, { pod }: Passage): Stop | undefined {
  const spec = specOf(pod);
  const policy = spec.restartPolicy ?? 'Always';
  const graceSeconds = spec.terminationGracePeriodSeconds ?? 30;
  const failedInit =
    policy === 'Never' && runtime.init.find((run) => run.role === 'init' && run.state === 'exited' && run.exit?.exitCode !== 0);
  if (failedInit) return { cause: 'completion', at: failedInit.exit?.finishedAt ?? 0, graceSeconds };
  if (policy === 'Always') return undefined;
  let at = 0;
  for (const run of runtime.main) {
    if (run.state !== 'exited' || restarts(run, policy)) return undefined;
    at = Math.max(at, run.exit?.finishedAt ?? 0);
  }
  return { cause: 'completion', at, graceSeconds };
}

function stopAll(runtime: PodRuntime, passage: Passage, stop: Stop, progress: Progress, announced: boolean): void {
  const plan = planStop(runtime, stop);
  if (!announced && plan.ends.length > 0) {
    const containers = plan.ends.map((end) => end.run.container.name);
    progress.facts.push(fact('ContainersStopping', { containers, gracePeriodSeconds: stop.graceSeconds }));
    if (stop.cause === 'deadline') progress.notes.push({ type: 'Normal', ...deadlineExceeded });
  }
  settleWaiting(runtime, passage, stop);
  if (passage.now < plan.over) {
    progress.wakeAt = plan.over;
    return;
  }
  for (const { run, at, exitCode } of plan.ends) exit(run, exitCode, at, progress);
  for (const run of allRuns(runtime)) forgetPrevious(run);
  runtime.sandbox = false;
  runtime.finished = true;
}

/**
 * No container gets a further run. Of a deleted pod the status shows how the last ones ended; of a pod that is past its
 * deadline the last sync still found them waiting for the next.
 */
function settleWaiting(runtime: PodRuntime, { pod }: Passage, stop: Stop): void {
  for (const run of allRuns(runtime)) {
    if (stop.cause === 'deletion' && run.exit && run.state !== 'running') {
      endRun(run, run.exit);
      forgetPrevious(run);
    } else if (stop.cause === 'deadline' && run.state === 'exited' && restarts(run, specOf(pod).restartPolicy ?? 'Always')) {
      waitInBackOff(run, pod, restartWaitMs(run));
    }
  }
}

function exit(run: ContainerRun, exitCode: number, at: number, progress: Progress, message?: string): void {
  const ended = { ...exitOf(run, exitCode, at), ...(message === undefined ? {} : { message }) };
  endRun(run, ended);
  progress.facts.push(fact('ContainerExited', { container: run.container.name, exitCode, reason: ended.reason }));
}

/** Runs that are over: by themselves, or because the container's image was changed. */
function endRuns(runtime: PodRuntime, { now }: Passage, progress: Progress): void {
  for (const run of allRuns(runtime)) {
    if (run.state !== 'running') continue;
    const own = ownEndOf(run);
    const changed = definitionChanged(run) ? (runtime.observedAt ?? now) + (run.behaviour.onTerm.afterMs ?? 0) : undefined;
    const at = Math.min(own ?? Number.POSITIVE_INFINITY, changed ?? Number.POSITIVE_INFINITY);
    if (at > now) {
      if (at !== Number.POSITIVE_INFINITY) wakeBy(progress, at, now);
    } else if (at === own) exit(run, run.behaviour.exitCode, at, progress, run.behaviour.message);
    else exit(run, run.behaviour.onTerm.exitCode, at, progress);
  }
}

function startRuns(runtime: PodRuntime, passage: Passage, progress: Progress): void {
  const { pod, now } = passage;
  const starts = plannedStarts(runtime, specOf(pod).restartPolicy ?? 'Always');
  for (const { run, at } of starts) {
    if (at <= now) start(runtime, run, passage, progress);
    else wakeBy(progress, at, now);
  }
  for (const { run, at } of starts) if (at > now && run.state === 'exited') showBackOff(run, passage, progress);
}

function start(runtime: PodRuntime, run: ContainerRun, passage: Passage, progress: Progress): void {
  const { pod, now } = passage;
  if (!neverStarted(run)) {
    run.previous = run.exit;
    run.restartCount++;
  }
  run.exit = undefined;
  run.state = 'running';
  run.startedAt = now;
  run.containerId = `containerd://${hexOf(`${pod.metadata.uid}/${run.container.name}/${run.restartCount}`)}`;
  const image = run.container.image ?? '';
  ({ image: run.image, imageId: run.imageId } = resolvedImage(image));
  runtime.sandbox = true;
  const isFirst = runtime.podIP === undefined;
  runtime.podIP ??= passage.assignAddress();
  progress.facts.push(
    fact('ContainerStarted', {
      container: run.container.name,
      image,
      ...(run.restartCount > 0 ? { restartCount: run.restartCount } : {}),
      imageID: run.imageId,
      containerID: run.containerId,
      ...(isFirst && !specOf(pod).hostNetwork ? { podIP: runtime.podIP } : {}),
    }),
  );
}

/**
 * An exited container that has to wait is shown in CrashLoopBackOff from the pod's next sync on: when something else happens
 * to the pod, or when the failed sync is repeated.
 */
function showBackOff(run: ContainerRun, { pod, now }: Passage, progress: Progress): void {
  const waitMs = definitionChanged(run) ? 0 : restartWaitMs(run);
  const shownAt = (run.exit?.finishedAt ?? 0) + resyncMs;
  if (waitMs < resyncMs || shownAt >= restartAt(run)) return;
  const synced = run.exitShown && progress.facts.length > 0;
  if (now < shownAt && !synced) {
    wakeBy(progress, shownAt, now);
    return;
  }
  waitInBackOff(run, pod, waitMs);
  const message = `Back-off restarting failed container ${run.container.name} in pod ${podInFull(pod.metadata)}`;
  progress.notes.push({ type: 'Warning', reason: 'BackOff', message });
}

function waitInBackOff(run: ContainerRun, pod: KubeObject, waitMs: number): void {
  run.state = 'waiting';
  run.waitingReason = 'CrashLoopBackOff';
  run.waitingMessage = crashLoopMessage(run, pod.metadata, waitMs);
}
