import { specOf, type Volume } from '../../pod-types';
import { allRuns, type PodRuntime } from '../container-run';
import type { Note, Passage, Progress } from '../passage';
import type { Obstacle, Turn } from './start-gate';
import { mayTellFrom, tell } from '../tell';
import { allOf, References, type Found } from './references';

/** The wait before a mount that failed is tried again, ms: it doubles up to the last (upstream `exponentialbackoff`). */
const firstWaitMs = 500;
const lastWaitMs = 122_000;

type Source = Pick<Volume, 'configMap' | 'secret'>;

/** The volumes that containers of the pod mount have what they are made of; each is tried by itself. */
export function volumesMounted({ at }: Turn, runtime: PodRuntime, passage: Passage, progress: Progress): number | Obstacle {
  const { volumes = [] } = specOf(passage.pod);
  if (runtime.sandbox || !volumes.some(isOfObjects)) return at;
  const references = new References(passage.cluster, passage.pod.metadata.namespace ?? '');
  const mounted = mountedNames(runtime);
  let from = at;
  let obstacle: Obstacle | undefined;
  for (const volume of volumes) {
    if (!isOfObjects(volume) || !mounted.has(volume.name)) continue;
    const found = contentOf(volume, references);
    if (found.error === undefined) from = Math.max(from, attemptFrom(at, found.since));
    else {
      progress.waits = true;
      const until = failed(volume, found.error, at, passage, progress);
      if (!obstacle?.until || until < obstacle.until) obstacle = { until };
    }
  }
  return obstacle ?? from;
}

function isOfObjects({ configMap, secret, projected }: Volume): boolean {
  return Boolean(configMap ?? secret ?? projected);
}

function mountedNames(runtime: PodRuntime): Set<string> {
  const names = new Set<string>();
  for (const { container } of allRuns(runtime)) for (const { name } of container.volumeMounts ?? []) names.add(name);
  return names;
}

/** Everything that cannot be had of a projected volume is told at once. */
function contentOf({ projected, ...source }: Volume, references: References): Found {
  if (!projected) return sourceOf(source, references);
  const found = (projected.sources ?? []).map((each) => sourceOf(each, references));
  const errors = [...new Set(found.flatMap(({ error }) => error ?? []))];
  return errors.length > 1 ? { since: 0, error: `[${errors.join(', ')}]` } : allOf(found);
}

function sourceOf({ configMap, secret }: Source, references: References): Found {
  if (configMap) return references.items('configmap', configMap);
  return secret ? references.items('secret', { ...secret, name: secret.secretName ?? secret.name }) : { since: 0 };
}

/** The first attempt, of those that begin at a moment, that is not before another (ms). */
function attemptFrom(from: number, notBefore: number): number {
  let at = from;
  for (let wait = firstWaitMs; at < notBefore; wait = Math.min(lastWaitMs, wait * 2)) at += wait;
  return at;
}

/** Tells of the attempts that have failed; gives when there may be something to tell again. */
function failed({ name }: Volume, error: string, from: number, passage: Passage, progress: Progress): number {
  let at = from;
  let times = 0;
  for (let wait = firstWaitMs; at <= passage.now; wait = Math.min(lastWaitMs, wait * 2)) {
    times++;
    at += wait;
  }
  const message = `MountVolume.SetUp failed for volume "${name}" : ${error}`;
  const note: Note = { type: 'Warning', reason: 'FailedMount', message };
  tell(progress, passage, note, { times, since: from });
  return Math.max(at, mayTellFrom(passage, note.type));
}
