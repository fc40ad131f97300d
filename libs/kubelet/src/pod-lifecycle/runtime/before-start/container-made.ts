import { budgetAt } from '#libs/cluster-state';
import { relistMs } from '../back-off';
import { neverStarted, type ContainerRun, type PodRuntime } from '../container-run';
import { specOf } from '../../pod-types';
import { type Passage, type Progress } from '../passage';
import { tell } from '../tell';
import { Attempts, type Attempt, type Failure } from './attempts';
import { pullQueued } from './pull-queue';
import type { Obstacle, Turn } from './start-gate';

/** Attempts that are looked through for the next one in which something shows. */
const aheadMax = 200;

/** The container is made: its image is there, what it is configured with too, and the runtime has created it. */
export function containerMade({ run, at }: Turn, runtime: PodRuntime, passage: Passage, progress: Progress): number | Obstacle {
  const attempts = Attempts.untilNow({ run, at, isRelisted: isRelisted(run, at, runtime) }, passage);
  const last = attempts.last as Attempt;
  tellOfSecrets(at, { done: attempts.isOver && last.ends <= passage.now }, passage, progress);
  tellOf(last, attempts, at, passage, progress);
  queue(last, run, passage, progress);
  if (!attempts.before && neverStarted(run) && isOfAnotherKubelet(runtime)) forget(run, runtime);
  const shown = attempts.before?.failure;
  if (shown?.message !== undefined) show(run, runtime, shown, passage);
  if (attempts.isOver) {
    run.pull = last.pull;
    return last.ends;
  }
  if (last.failure?.reason === 'CreateContainerConfigError') progress.waits = true;
  if (last.ends > passage.now) return { until: last.ends, busyUntil: last.ends };
  return { until: nextSeen(attempts, passage) };
}

/** The attempt that goes on, or is the last, when it is looked at. */
export function lastAttempt({ run, at }: Turn, runtime: PodRuntime, passage: Passage): Attempt {
  return Attempts.untilNow({ run, at, isRelisted: isRelisted(run, at, runtime) }, passage).last as Attempt;
}

/** Each sync asks for the secrets that images are pulled with, and goes on without those that are not there. */
function tellOfSecrets(since: number, { done }: { done: boolean }, passage: Passage, progress: Progress): void {
  const { pod, cluster } = passage;
  const missing = (specOf(pod).imagePullSecrets ?? []).filter(({ name = '' }) => !cluster.get('secrets', pod.metadata.namespace, name));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const message = `Unable to retrieve some image pull secrets (${names}); attempting to pull the image may not succeed.`;
  tell(progress, passage, { type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message }, { times: done ? 2 : 1, since });
}

/** What is held back of earlier attempts is told with the next one that is alike. */
function tellOf({ notes }: Attempt, attempts: Attempts, since: number, passage: Passage, progress: Progress): void {
  for (const { at, note } of notes) if (at <= passage.now) tell(progress, passage, note, { times: attempts.timesOf(note), since });
}

function queue({ queues, ends }: Attempt, { container }: ContainerRun, passage: Passage, progress: Progress): void {
  if (queues && ends > passage.now) (progress.pulls ??= []).push(pullQueued(container.name, container.image ?? '', queues, passage));
}

/** A sync shows what the one before it left behind; the pod's sandbox stands before a container of it is tried. */
function show(run: ContainerRun, runtime: PodRuntime, { reason, message }: Failure, passage: Passage): void {
  run.state = 'waiting';
  run.waitingReason = reason;
  run.waitingMessage = message;
  runtime.sandbox = true;
  runtime.podIP ??= passage.assignAddress();
}

/** When the next attempt begins in which the status will be otherwise, or the log has something to be told, ms. */
function nextSeen(attempts: Attempts, { marks }: Passage): number {
  const shown = attempts.before?.failure;
  const ahead = attempts.ahead();
  for (let i = 0; ; i++) {
    const left = ahead.last?.failure;
    const { at, failure, notes, queues } = ahead.tryOnce();
    const showsMore = left?.reason !== shown?.reason || left?.message !== shown?.message;
    const isTold = notes.some((each) => budgetAt(marks.budgets?.[each.note.type], each.at).left >= 1);
    if (!failure || showsMore || isTold || queues || i >= aheadMax) return at;
  }
}

/** Whether the first attempt starts something else of the pod: its sandbox, or another container. */
function isRelisted(run: ContainerRun, at: number, { acceptedAt, ground, main }: PodRuntime): boolean {
  if (at === acceptedAt || at === ground.kubeletStartedAt) return true;
  return main.some(({ startedAt = 0, state }) => state === 'running' && startedAt >= at && startedAt <= at + relistMs);
}

/** The kubelet began after the pod was taken: what held the container up before, it does not know. */
function isOfAnotherKubelet({ acceptedAt, ground }: PodRuntime): boolean {
  return ground.kubeletStartedAt !== undefined && ground.kubeletStartedAt > acceptedAt;
}

function forget(run: ContainerRun, { init }: PodRuntime): void {
  run.waitingReason = init.length > 0 && run.role !== 'ephemeral' ? 'PodInitializing' : 'ContainerCreating';
  run.waitingMessage = undefined;
}
