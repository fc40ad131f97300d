import { fact } from '#libs/events';
import { hexOf, resolvedImage } from '../../images';
import { specOf } from '../../pod-types';
import type { Obstacle, StartGate, Turn } from '../before-start/start-gate';
import { containerMade } from '../before-start/container-made';
import { sandboxMade } from '../before-start/sandbox-made';
import { volumesMounted } from '../before-start/volumes-mounted';
import { podInFull, restartWaitMs, resyncMs, waitInBackOff } from '../back-off';
import { neverStarted, type ContainerRun, type PodRuntime } from '../container-run';
import { wakeBy, type Passage, type Progress } from '../passage';
import { isAnother, plannedStarts, restartAt } from '../starts';

/** One after the other, each from the moment that the one before it gives. */
const startGates: readonly StartGate[] = [volumesMounted, sandboxMade, containerMade];

export function startRuns(runtime: PodRuntime, passage: Passage, progress: Progress): void {
  const { pod, now } = passage;
  const starts = plannedStarts(runtime, specOf(pod).restartPolicy ?? 'Always');
  for (const { run, at } of starts) {
    const turn = passGates({ run, at: at - run.behaviour.startupMs }, runtime, passage, progress);
    if (turn === undefined) continue;
    if (turn > now && startGates.length > 0) wakeBy(progress, turn, now);
    else if (turn + run.behaviour.startupMs > now) wakeBy(progress, turn + run.behaviour.startupMs, now);
    else start(runtime, run, passage, progress);
  }
  for (const { run, at } of starts) if (at > now && run.state === 'exited') showBackOff(run, passage, progress);
}

/** From when there is nothing to be done before the start but the start itself, ms; undefined: something stands in the way. */
function passGates({ run, at }: Turn, runtime: PodRuntime, passage: Passage, progress: Progress): number | undefined {
  let turn = at;
  for (const gate of startGates) {
    if (turn > passage.now) break;
    const passed = gate({ run, at: turn }, runtime, passage, progress);
    if (typeof passed !== 'number') {
      wait(run, passed);
      wakeBy(progress, passed.until, passage.now);
      return undefined;
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

function start(runtime: PodRuntime, run: ContainerRun, passage: Passage, progress: Progress): void {
  const { pod, now } = passage;
  if (!neverStarted(run)) {
    run.previous = run.exit;
    run.restartCount++;
  }
  run.exit = undefined;
  run.state = 'running';
  run.actual = run.allocated;
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
      ...(run.pull ? { pull: { ...run.pull } } : {}),
      ...(isFirst && !specOf(pod).hostNetwork ? { podIP: runtime.podIP } : {}),
    }),
  );
}

/**
 * An exited container that has to wait is shown in CrashLoopBackOff from the pod's next sync on: when something else happens
 * to the pod, or when the failed sync is repeated.
 */
function showBackOff(run: ContainerRun, { pod, now }: Passage, progress: Progress): void {
  const waitMs = isAnother(run) ? 0 : restartWaitMs(run);
  const shownAt = (run.exit?.finishedAt ?? 0) + resyncMs;
  if (waitMs < resyncMs || shownAt >= restartAt(run)) return;
  const synced = run.exitShown && progress.facts.length > 0;
  if (now < shownAt && !synced) {
    wakeBy(progress, shownAt, now);
    return;
  }
  waitInBackOff(run, pod, waitMs);
  const message = `Back-off restarting failed container ${run.container.name} in pod ${podInFull(pod.metadata)}`;
  progress.notes.push({ type: 'Warning', reason: 'BackOff', message, container: run.container.name });
}
