import { describe, expect, it } from 'vitest';
import { recordedSessions } from './recording.fixture';
import { Replay } from './replay.fixture';

/** Sessions that rest on what is not served yet. */
const beyond = new Map([
  ['rs-quota', 'ResourceQuota'],
  ['dep-misc', 'ResourceQuota'],
  ['rc-basics', 'ReplicationController'],
  ['pod-gc', 'a threshold of terminated pods, set by a flag'],
  ['pdb-crd', 'custom kinds'],
  ['pdb-owners', 'StatefulSet'],
  ['pdb-unknown', 'Job, DaemonSet'],
  ['pdb-several-max1', 'StatefulSet'],
  ['pdb-several-max40', 'StatefulSet'],
  ['pdb-several-min3', 'StatefulSet'],
  ['pdb-several-min60', 'StatefulSet'],
]);

/** Objects whose fate the recording does not promise, or that rest on what is not served yet. */
const ignored = new Map([
  // Without a Deployment there are no siblings, and which of equal pods goes is chance.
  ['rs-rank', /^Pod\/doubled-/],
  // Owned by an object of a custom kind.
  ['gc-owners', /^ConfigMap\/leaf$/],
  // Secrets of service account tokens have a controller of their own.
  ['ns-create', /^Secret\//],
  // Of several budgets over one pod only one is counted at once, chosen arbitrarily: when a condition turned is chance.
  ['pdb-overlap', /^PodDisruptionBudget\//],
  ['pdb-rounding2', /^PodDisruptionBudget\/s|^StatefulSet|^Pod\/s/],
]);

for (const area of ['replicaset', 'deployment', 'garbagecollection', 'namespace', 'podgc', 'poddisruptionbudget', 'mixed']) {
  const sessions = recordedSessions(`${area}.jsonl`);
  describe.skipIf(!sessions)(`recorded sessions: ${area}`, () => {
    for (const session of sessions ?? []) {
      const missing = beyond.get(session.name);
      if (missing)
        console.error(`*** recorded session ${session.name} was NOT played: it rests on what is not served yet (${missing}) ***`);
      it.skipIf(missing !== undefined)(`${session.name}: ${session.title}`, async () => {
        expect((await Replay.differencesOf(session, ignored.get(session.name))).join('\n')).toBe('');
      });
    }
  });
}
