import { pulledMessage } from '#libs/cluster-state';
import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { hexOf, resolvedImage } from '../../images';
import { specOf } from '../../pod-types';
import { nextWaitMs, podInFull, restartWaitMs, slowStartMs, waitInBackOff } from '../back-off';
import { forgetPrevious, neverStarted, type ContainerRun, type PodRuntime } from '../container-run';
import { hookOutcome, ownGraceSeconds } from '../hooks';
import type { RunEnd } from '../own-end';
import { wakeBy, type Note, type Passage, type Progress } from '../passage';
import { foundAt, isAnother, isPurged, plannedStarts, restarts, waitsUntil } from '../starts';
import { killedEnd } from '../stop-plan';
import { keyOf, mayTellFrom, tell, timesTold, toldAt } from '../tell';
import { PodSyncs } from '../pod-syncs';
import { exit } from './end-runs';
import { isPartOf, startGates, type SyncUnderWay } from './sync-under-way';
import type { Obstacle, Turn } from '../before-start/start-gate';
import { failToStart, startRefusal } from '../before-start/start-refused';

/** What is said of a start that has begun, and is shown when its sync is through. */
interface BegunStart {
  run: ContainerRun;
  startedAt: number;
  /** When the sync has to do with it no longer, ms. */
  doneAt: number;
  /** Its postStart hook has failed, and the container with it. */
  failure?: { at: number; message: string; end: RunEnd };
}

/**
 * One sync of the pod (upstream `SyncPod`): containers whose turn it is are started one after the other; pulls and postStart hooks keep
 * those behind them waiting. Statuses are told when it is through.
 * @param sync of a pod that is to stop: only what is a part of it is gone on with
 */
export function startRuns(runtime: PodRuntime, passage: Passage, progress: Progress, sync?: SyncUnderWay): void {
  const { pod, now } = passage;
  const planned = plannedStarts(runtime, specOf(pod).restartPolicy ?? 'Always', now);
  const starts = sync ? planned.filter((start) => isPartOf(sync, start)) : planned;
  const begun: BegunStart[] = [];
  let busyUntil = Number.NEGATIVE_INFINITY;
  for (const { run, at } of starts) {
    const { startupMs } = run.behaviour;
    const due = Math.max(at - startupMs, busyUntil, runtime.ground.kubeletStartedAt ?? 0);
    const turn = passGates({ run, at: due }, runtime, passage, progress);
    if (typeof turn !== 'number') {
      busyUntil = Math.max(busyUntil, turn.busyUntil ?? busyUntil);
      continue;
    }
    const startAt = turn + startupMs;
    if (turn > at - startupMs || startupMs >= slowStartMs) busyUntil = Math.max(busyUntil, startAt);
    if (startAt > now) {
      if (startupMs >= slowStartMs && turn <= now)
        for (const note of startNotes(run).slice(0, 2)) tell(progress, passage, note, { times: 1, since: turn });
      wakeBy(progress, turn > now && startGates.length > 0 ? turn : startAt, now);
      continue;
    }
    const start = begin(run, startAt, sync ? startAt : now, passage);
    if (start.doneAt > startAt) busyUntil = Math.max(busyUntil, start.doneAt);
    begun.push(start);
  }
  const shownAt = Math.max(busyUntil, sync?.heededAt ?? busyUntil);
  if (shownAt > now && begun.length > 0) {
    for (const start of begun) tellOfStart(start, passage, progress);
    wakeBy(progress, shownAt, now);
  } else if (begun.length > 0) {
    for (const run of runtime.init) if (run.role === 'init' && run.exitShown) forgetPrevious(run);
    for (const start of begun) show(start, runtime, passage, progress);
  }
  for (const { run, at } of starts) if (at > now) showBackOff(run, runtime, passage, progress);
}

/**
 * A start without a hook keeps nobody waiting. What is looked at late runs since Events said so, or since the look.
 * @param lookedAt ms: in a sync that an order to stop found under way, the start itself
 */
function begin(run: ContainerRun, startAt: number, lookedAt: number, passage: Passage): BegunStart {
  const { pod } = passage;
  const refusal = startRefusal(run);
  if (refusal !== undefined) return { run, startedAt: lookedAt, doneAt: startAt };
  const { postStart } = run.container.lifecycle ?? {};
  const podIP = postStart?.httpGet && !run.ground.podIP() ? passage.assignAddress() : undefined;
  const hook = hookOutcome(postStart, run, pod, { startedAt: startAt, at: startAt, podIP });
  if (!hook) return { run, startedAt: toldAt(passage, startedNote(run), startAt) ?? lookedAt, doneAt: startAt };
  const doneAt = startAt + hook.takesMs;
  if (hook.failure === undefined) return { run, startedAt: startAt, doneAt };
  const running = { ...run, state: 'running' as const, startedAt: startAt, restartCount: nextCount(run) };
  const { run: _run, hookFailsAt: _hook, ...end } = killedEnd(running, { at: doneAt, graceSeconds: ownGraceSeconds(pod) }, pod);
  return { run, startedAt: startAt, doneAt: end.at, failure: { at: doneAt, message: hook.failure, end } };
}

function nextCount(run: ContainerRun): number {
  return neverStarted(run) ? run.restartCount : run.restartCount + 1;
}

/** What Events say of a start before the status does. */
function tellOfStart({ run, startedAt, failure }: BegunStart, passage: Passage, progress: Progress): void {
  for (const note of startNotes(run)) tell(progress, passage, note, { times: 1, since: startedAt - run.behaviour.startupMs });
  if (failure) tellOfFailure(run, startedAt, failure.at, passage, progress);
}

function startNotes(run: ContainerRun): Note[] {
  const { name: container, image = '' } = run.container;
  return [
    { type: 'Normal', reason: 'Pulled', message: pulledMessage(image, run.pull), container },
    { type: 'Normal', reason: 'Created', message: `Created container: ${container}`, container },
    startedNote(run),
  ];
}

function startedNote({ container: { name: container } }: ContainerRun): Note {
  return { type: 'Normal', reason: 'Started', message: `Started container ${container}`, container };
}

function tellOfFailure(run: ContainerRun, since: number, at: number, passage: Passage, progress: Progress): void {
  wakeBy(progress, at, passage.now);
  if (at > passage.now) return;
  const container = run.container.name;
  const failed: Note = { type: 'Warning', reason: 'FailedPostStartHook', message: 'PostStartHook failed', container };
  const killing: Note = { type: 'Normal', reason: 'Killing', message: 'FailedPostStartHook', container };
  for (const note of [failed, killing]) tell(progress, passage, note, { times: 1, since });
}

/** The status shows the start from now on; of one whose hook has failed also its end. */
function show({ run, startedAt, failure }: BegunStart, runtime: PodRuntime, passage: Passage, progress: Progress): void {
  start(runtime, run, startedAt, passage, progress);
  if (!failure) return;
  tellOfFailure(run, startedAt, failure.at, passage, progress);
  exit(run, failure.end, passage, progress);
  run.hookFailed = true;
  // One that gets no other run has ended, and that is all.
  if (!restarts(run, specOf(passage.pod).restartPolicy ?? 'Always')) return;
  run.state = 'waiting';
  run.waitingReason = 'PostStartHookError';
  run.waitingMessage = failure.message;
}

/** From when there is nothing to be done before the start but the start itself, ms; or what stands in the way. */
function passGates({ run, at }: Turn, runtime: PodRuntime, passage: Passage, progress: Progress): number | Obstacle {
  let turn = at;
  for (const gate of startGates) {
    if (turn > passage.now) break;
    const passed = gate({ run, at: turn }, runtime, passage, progress);
    if (typeof passed !== 'number') {
      wait(run, passed);
      wakeBy(progress, passed.until, passage.now);
      return passed;
    }
    turn = passed;
  }
  return turn;
}

function wait(run: ContainerRun, { reason, message }: Obstacle): void {
  if (reason === undefined) return;
  run.state = 'waiting';
  run.waitingReason = reason;
  run.waitingMessage = message;
}

const sandboxChanged: Note = {
  type: 'Normal',
  reason: 'SandboxChanged',
  message: 'Pod sandbox changed, it will be killed and re-created.',
};

function start(runtime: PodRuntime, run: ContainerRun, startedAt: number, passage: Passage, progress: Progress): void {
  const { pod, now } = passage;
  const waits = neverStarted(run) ? {} : waitsAround(run, runtime, passage);
  const refusal = startRefusal(run);
  const begunAt = startedAt - run.behaviour.startupMs;
  const isToldOf = startedAt < now || run.behaviour.startupMs >= slowStartMs;
  const told = isToldOf ? startNotes(run).filter((note) => timesTold(passage, note, begunAt) > 0) : [];
  if (!neverStarted(run)) {
    run.previous = isPurged(run, runtime) ? undefined : run.exit;
    run.restartCount++;
  }
  if (!runtime.sandbox && runtime.sandboxDiedAt !== undefined)
    tell(progress, passage, sandboxChanged, { times: 1, since: runtime.sandboxDiedAt });
  run.backOffMs = waits.backOffMs;
  run.killed = undefined;
  run.hookFailed = undefined;
  run.exit = undefined;
  run.state = 'running';
  run.actual = run.allocated;
  run.startedAt = startedAt;
  run.shownAt = now;
  run.containerId = `containerd://${hexOf(`${pod.metadata.uid}/${run.container.name}/${run.restartCount}`)}`;
  const image = run.container.image ?? '';
  ({ image: run.image, imageId: run.imageId } = resolvedImage(image));
  runtime.sandbox = true;
  const isFirst = runtime.podIP === undefined;
  runtime.podIP ??= passage.assignAddress();
  if (refusal !== undefined) {
    const gone = run.role === 'ephemeral' || (run.role !== 'sidecar' && specOf(pod).restartPolicy === 'Never');
    failToStart(run, refusal, { at: startedAt, waits, gone }, progress);
    return;
  }
  progress.facts.push(
    fact('ContainerStarted', {
      container: run.container.name,
      image,
      ...(run.restartCount > 0 ? { restartCount: run.restartCount } : {}),
      imageID: run.imageId,
      containerID: run.containerId,
      ...(run.pull ? { pull: { ...run.pull } } : {}),
      ...(isFirst && !specOf(pod).hostNetwork ? { podIP: runtime.podIP } : {}),
      ...(startedAt < now ? { at: startedAt } : {}),
      ...(told.length > 0 ? { told: told.map(({ reason }) => reason) } : {}),
      ...waits,
    }),
  );
}

/** How long the wait after a restart is, and how often the one before it was told of without being written. */
function waitsAround(run: ContainerRun, runtime: PodRuntime, passage: Passage): { backOffMs?: number; untold?: Record<string, number> } {
  const backOffMs = nextWaitMs(isAnother(run) ? { ...run, backOffMs: undefined } : run);
  const note = backOffNote(run, passage.pod);
  const since = run.exit?.finishedAt ?? 0;
  const until = waitsUntil(run, runtime);
  const untold = until > foundAt(run) ? timesWaited(run, runtime, passage, until - 1) - timesTold(passage, note, since) : 0;
  const isKnown = passage.marks.told?.[keyOf(passage, note)] !== undefined;
  return {
    ...(backOffMs === undefined ? {} : { backOffMs }),
    ...(isKnown && untold > 0 ? { untold: { [keyOf(passage, note)]: untold } } : {}),
  };
}

/**
 * A container that has to wait for its next run is told of at each sync, and shown in CrashLoopBackOff from the pod's next sync on: when
 * something else happens to the pod, or when the failed sync is repeated.
 */
function showBackOff(run: ContainerRun, runtime: PodRuntime, passage: Passage, progress: Progress): void {
  const { pod, now } = passage;
  const until = waitsUntil(run, runtime);
  const since = run.exit?.finishedAt;
  if (since === undefined || run.state === 'running' || until <= foundAt(run) || now > until) return;
  const syncs = new PodSyncs(run, runtime);
  tell(progress, passage, backOffNote(run, pod), { times: timesWaited(run, runtime, passage, Math.min(now, until - 1)), since });
  const nextTelling = Math.max(syncs.after(now), mayTellFrom(passage, 'Warning'));
  if (nextTelling < until) wakeBy(progress, nextTelling, now);
  // What a sidecar waits for shows only in a later relist, and by then one that was ended for another run has it.
  if (isRelisted(run) && run.role === 'sidecar') return;
  if (run.state !== 'exited' && !failedReasons.has(run.waitingReason ?? '')) return;
  const shownAt = syncs.after(since);
  const synced = run.exitShown && progress.facts.length > 0;
  if (now >= shownAt || synced) waitInBackOff(run, pod, restartWaitMs(run));
  else if (shownAt <= until) wakeBy(progress, shownAt, now);
}

/** How many syncs found the container in its wait by a moment. What happened to other containers before it was last told of may be forgotten. */
function timesWaited(run: ContainerRun, runtime: PodRuntime, passage: Passage, at: number): number {
  const syncs = new PodSyncs(run, runtime);
  const note = backOffNote(run, passage.pod);
  const since = run.exit?.finishedAt ?? 0;
  const lastToldAt = toldAt(passage, note, since);
  if (lastToldAt === undefined) return syncs.countBy(at);
  return timesTold(passage, note, since) + Math.max(0, syncs.countBy(at) - syncs.countBy(lastToldAt));
}

const isRelisted = ({ killed, hookFailed }: ContainerRun): boolean => killed === true || hookFailed === true;

/** Waiting for the sync that shows the wait. */
const failedReasons: ReadonlySet<string> = new Set(['PostStartHookError', 'RunContainerError']);

function backOffNote({ container }: ContainerRun, pod: KubeObject): Note {
  const message = `Back-off restarting failed container ${container.name} in pod ${podInFull(pod.metadata)}`;
  return { type: 'Warning', reason: 'BackOff', message, container: container.name };
}
