import { podBehaviourOf } from '../../../behaviour';
import { allRuns, type PodRuntime } from '../container-run';
import type { Note, Passage, Progress } from '../passage';
import type { Obstacle, Turn } from './start-gate';
import { mayTellFrom, tell } from '../tell';
import { retryWaits } from './syncs';

/** The pod's sandbox is made; attempts that fail show in no status. */
export function sandboxMade({ at: from }: Turn, runtime: PodRuntime, passage: Passage, progress: Progress): number | Obstacle {
  const refusal = runtime.sandbox ? undefined : podBehaviourOf(passage.pod).sandboxFails;
  if (!refusal || hadSandbox(runtime)) return from;
  const { times = Number.POSITIVE_INFINITY, message } = refusal;
  const wait = retryWaits(passage.pod.metadata.uid, from);
  let at = from;
  let failed = 0;
  while (failed < times && at <= passage.now) at += wait(failed++);
  const text = `Failed to create pod sandbox: rpc error: code = Unknown desc = ${message}`;
  const note: Note = { type: 'Warning', reason: 'FailedCreatePodSandBox', message: text };
  tell(progress, passage, note, { times: failed, since: from });
  if (failed >= times && at <= passage.now) return at;
  return { until: Number.isFinite(times) ? at : Math.max(at, mayTellFrom(passage, note.type)) };
}

/** The refusals that are said are those of the first sandbox. */
function hadSandbox(runtime: PodRuntime): boolean {
  for (const { containerId } of allRuns(runtime)) if (containerId !== undefined) return true;
  return false;
}
