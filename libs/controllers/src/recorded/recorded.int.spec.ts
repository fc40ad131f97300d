import { describe, expect, it } from 'vitest';
import { recordedSessions } from './recording.fixture';
import { Replay } from './replay.fixture';

/** Sessions that rest on what is not there yet: a kind, a flag, or the controller of a kind. */
const beyond = new Map([
  ['rc-basics', 'the controller of ReplicationControllers'],
  ['pdb-crd', 'definitions of custom kinds; disruption-recorded.unit.spec plays it'],
  ['ep-many', 'pods that are named without having been recorded'],
  ['pdb-owners', 'the controller of StatefulSets'],
  ['pdb-unknown', 'the controllers of Jobs and DaemonSets'],
  ['pdb-several-max1', 'the controller of StatefulSets'],
  ['pdb-several-max40', 'the controller of StatefulSets'],
  ['pdb-several-min3', 'the controller of StatefulSets'],
  ['pdb-several-min60', 'the controller of StatefulSets'],
]);

/** Objects whose fate the recording does not promise, or that rest on what is not there yet. */
const ignored = new Map([
  // Without a Deployment there are no siblings, and which of equal pods goes is chance.
  ['rs-rank', /^Pod\/doubled-/],
  // Owned by an object of a custom kind.
  ['gc-owners', /^ConfigMap\/leaf$/],
  // Secrets of service account tokens have a controller of their own.
  ['ns-create', /^Secret\//],
  // Of several budgets over one pod only one is counted at once, chosen arbitrarily: when a condition turned is chance.
  ['pdb-overlap', /^PodDisruptionBudget\//],
  // Nobody looks after claims yet.
  ['ns-quota', /^PersistentVolumeClaim\//],
  // Which slice takes the place of which is chance, and which pod a rollout ends.
  ['ep-ports', /^EndpointSlice\/multi-<rand:[12]>$/],
  ['mix-app', /^EndpointSlice/],
  // The collector's looks, every 20 s, come at other moments.
  ['pod-gc', /^Pod\/(p3|e)$/],
  ['pdb-rounding2', /^PodDisruptionBudget\/s|^StatefulSet|^Pod\/s/],
]);

for (const area of [
  'replicaset',
  'deployment',
  'garbagecollection',
  'namespace',
  'podgc',
  'nodelifecycle',
  'poddisruptionbudget',
  'mixed',
  'endpoints',
  'job',
]) {
  const sessions = recordedSessions(`${area}.jsonl`);
  describe.skipIf(!sessions)(`recorded sessions: ${area}`, () => {
    for (const session of sessions ?? []) {
      const missing = beyond.get(session.name);
      if (missing) console.error(`*** recorded session ${session.name} was NOT played: it rests on what is not there yet (${missing}) ***`);
      it.skipIf(missing !== undefined)(`${session.name}: ${session.title}`, async () => {
        expect((await Replay.differencesOf(session, ignored.get(session.name))).join('\n')).toBe('');
      });
    }
  });
}
