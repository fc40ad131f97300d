// Our preemptions against the recorded ones, names and tied nodes aside: which workload preempted at which priority, and how many
// victims of which priorities it took. The node is not compared, nor are random parts of names, uids and times.
import type { Difference } from '../play-result';
import type { PreemptedPod, Preemption } from './incident';

/** The workload of a pod: a bare pod is its own; a ReplicaSet stands for the Deployment it belongs to. */
export function workloadOf(pod: string, owner: string | undefined): string {
  if (owner === undefined) return pod;
  const [kind = '', name = ''] = owner.split('/');
  const namespace = pod.slice(0, pod.indexOf('/'));
  return `${namespace}/${kind === 'ReplicaSet' ? name.replace(/-[bcdfghjklmnpqrstvwxz2456789]{1,10}$/, '') : name}`;
}

type Counts = Map<string, number>;

function count(keys: Iterable<string>): Counts {
  const counts: Counts = new Map();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function compareCounts(path: string, expected: Counts, actual: Counts): Difference[] {
  const keys = [...new Set([...expected.keys(), ...actual.keys()])].toSorted();
  return keys
    .map((key) => ({ key, wanted: expected.get(key) ?? 0, got: actual.get(key) ?? 0 }))
    .filter(({ wanted, got }) => wanted !== got)
    .map(({ key, wanted, got }) => ({ path: `${path}[${key}]`, text: `expected ${wanted}, got ${got}` }));
}

const preemptorOf = ({ preemptor, owner, priority }: Preemption): string => `${workloadOf(preemptor, owner)} at ${priority}`;

const prioritiesOf = (victims: readonly PreemptedPod[]): string =>
  victims
    .map(({ priority }) => priority)
    .toSorted((a, b) => a - b)
    .join(', ');

const preemptionOf = (preemption: Preemption): string =>
  `${preemptorOf(preemption)} takes ${preemption.victims.length} (${prioritiesOf(preemption.victims)})`;

/** Every pod that was preempted, once. */
function* victimsOf(preemptions: readonly Preemption[]): Generator<string> {
  const seen = new Set<string>();
  for (const { victims } of preemptions) {
    for (const { pod, owner, priority } of victims) {
      if (seen.has(pod)) continue;
      seen.add(pod);
      yield `${workloadOf(pod, owner)} at ${priority}`;
    }
  }
}

export interface PreemptionAspect {
  aspect: string;
  differences: Difference[];
}

/** Three aspects, each a step of the incident: who preempted how often, with which victims each time, and who was preempted in all. */
export function comparePreemptions(expected: readonly Preemption[], actual: readonly Preemption[]): PreemptionAspect[] {
  const aspect = (name: string, keys: (preemptions: readonly Preemption[]) => Iterable<string>): PreemptionAspect => ({
    aspect: name,
    differences: compareCounts(name, count(keys(expected)), count(keys(actual))),
  });
  return [
    aspect('preemptors', (preemptions) => preemptions.map(preemptorOf)),
    aspect('preemptions', (preemptions) => preemptions.map(preemptionOf)),
    aspect('preempted', victimsOf),
  ];
}
