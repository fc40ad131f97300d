import { hasInitialized, type PodRuntime } from '../runtime/container-run';
import { probe } from '../runtime/probes';

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** The phase that the containers add up to (upstream `getPhase`). */
export function phaseOf(runtime: PodRuntime, restartPolicy: string, now: number): Phase {
  const init = initState(runtime, now);
  let running = init.sidecarsRunning;
  let waiting = 0;
  let stopped = 0;
  let succeeded = 0;
  for (const run of runtime.main) {
    if (run.state === 'running') running++;
    else if (run.exit) {
      stopped++;
      if (run.state === 'exited' && run.exit.exitCode === 0) succeeded++;
    } else waiting++;
  }
  if (init.failed && restartPolicy === 'Never') return 'Failed';
  if (init.pending || (init.sidecarPending && !hasInitialized(runtime)) || waiting > 0) return 'Pending';
  if (running > 0) return 'Running';
  if (stopped === 0) return 'Pending';
  if (runtime.finished) return stopped === succeeded ? 'Succeeded' : 'Failed';
  if (restartPolicy === 'Always') return 'Running';
  if (stopped === succeeded) return 'Succeeded';
  return restartPolicy === 'Never' ? 'Failed' : 'Running';
}

function initState(
  runtime: PodRuntime,
  now: number,
): { pending: boolean; failed: boolean; sidecarPending: boolean; sidecarsRunning: number } {
  const state = { pending: false, failed: false, sidecarPending: false, sidecarsRunning: 0 };
  for (const run of runtime.init) {
    if (run.role === 'sidecar') {
      if (run.state === 'running') {
        state.sidecarsRunning++;
        if (!probe(run, now).started) state.sidecarPending = true;
      } else if (!run.exit) state.sidecarPending = true;
    } else if (run.exit && run.state !== 'running') {
      if (run.exit.exitCode !== 0) state.failed = true;
    } else state.pending = true;
  }
  return state;
}
