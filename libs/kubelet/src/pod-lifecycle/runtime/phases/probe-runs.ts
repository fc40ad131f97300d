import { specOf } from '../../pod-types';
import { allRuns, type ContainerRun, type PodRuntime } from '../container-run';
import { ownGraceSeconds } from '../hooks';
import { wakeBy, type Passage, type Progress } from '../passage';
import { probesOf, type ProbeKill } from '../probes';
import { ownEndOf, type RunEnd } from '../own-end';
import { mayTellFrom, tell } from '../tell';
import { killRun } from './kill-run';

/**
 * Tells what the probes of the running containers have found by now, and when they will find otherwise.
 * @param stopsSince the pod is being stopped since then, ms: nobody asks any more whether its containers live
 * @returns the containers that were looked at
 */
export function watchProbes(runtime: PodRuntime, passage: Passage, progress: Progress, stopsSince?: number): ReadonlySet<ContainerRun> {
  const watched = new Set<ContainerRun>();
  for (const run of allRuns(runtime)) {
    if (run.state !== 'running') continue;
    watched.add(run);
    watch(run, passage, progress, stopsSince);
  }
  return watched;
}

/** Containers that have been started in the same look are asked at once. */
export function watchStarted(runtime: PodRuntime, passage: Passage, progress: Progress, watched: ReadonlySet<ContainerRun>): void {
  for (const run of allRuns(runtime)) if (run.state === 'running' && !watched.has(run)) watch(run, passage, progress);
}

function watch(run: ContainerRun, passage: Passage, progress: Progress, stopsSince?: number): void {
  const { now } = passage;
  // Nothing is asked first that nobody asks any more: a look that comes late finds what earlier ones have found.
  let probes = probesWhileItRuns(run, Math.min(now, stopsSince ?? now));
  if (stopsSince !== undefined) {
    probes?.stopAsking(stopsSince);
    probes = probesWhileItRuns(run, now);
  }
  if (!probes) return;
  const container = run.container.name;
  for (const { times, ...note } of probes.told()) tell(progress, passage, { ...note, container }, { times, since: probes.seenAt });
  wakeBy(progress, probes.changesAt(), now);
  wakeBy(progress, probes.tellsAt(mayTellFrom(passage, 'Warning')), now);
}

/** A run that has come to its end by itself is not asked any more, also where nobody has noticed yet. */
function probesWhileItRuns(run: ContainerRun, now: number): ReturnType<typeof probesOf> {
  return probesOf(run, Math.min(now, (ownEndOf(run)?.at ?? Number.POSITIVE_INFINITY) - 1));
}

/** A container that fails its liveness or its startup probe is ended. Whether it is started again, is the restart policy's to say. */
export function killedByProbe(run: ContainerRun, runtime: PodRuntime, passage: Passage, progress: Progress): RunEnd | undefined {
  const probes = probesWhileItRuns(run, passage.now);
  const kill = probes?.kill();
  if (!probes || !kill) return undefined;
  const { restartPolicy = 'Always' } = specOf(passage.pod);
  const endsPod =
    restartPolicy === 'Never' && run.role === 'main' && !runtime.main.some((each) => each !== run && each.state === 'running');
  const message = endsPod ? `Stopping container ${run.container.name}` : killMessage(run, kill, restartPolicy);
  const graceSeconds = (endsPod ? undefined : kill.graceSeconds) ?? ownGraceSeconds(passage.pod);
  const end = killRun(run, { at: kill.at, graceSeconds, message }, passage, progress);
  return run.role === 'main' && restartPolicy === 'Never' ? { ...end, isLast: true, endsPod } : end;
}

function killMessage({ role, container }: ContainerRun, { cause }: ProbeKill, restartPolicy: string): string {
  if (role === 'sidecar') return `Init container ${container.name} failed ${cause} probe`;
  return `Container ${container.name} failed ${cause} probe${restartPolicy === 'Never' ? '' : ', will be restarted'}`;
}
