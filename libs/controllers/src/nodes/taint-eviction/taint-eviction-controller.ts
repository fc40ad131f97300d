import type { Reconciler, Step } from '#libs/control-loop';
import type { Fact } from '#libs/events';
import type { KubeObject, ObjectKey } from '#libs/kernel';
import { report } from '../../loop/report';
import { disruptionMark } from '../disruption-mark';
import { evictionIndex, followTaints, type EvictionIndex } from './eviction-index';

const name = 'taint-eviction-controller';

/** What the index is told of a look at a pod. */
interface Told {
  isFired: boolean;
}

/**
 * Deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer (upstream taint eviction controller). Disruption budgets have
 * no say in it. Subjects: keys of pods.
 */
export const taintEviction: Reconciler<EvictionIndex> = {
  name,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  index: evictionIndex,
  follows: ['nodes', 'pods'],
  follow: followTaints,
  allSubjects: ({ evictions }) => evictions.keys(),

  reconcile(cluster, { evictions, cancelled }, key, { now }) {
    const called = cancelled.get(key);
    const records = called ? [told(called, `Cancelling deletion of Pod ${key}`)] : [];
    const eviction = evictions.get(key);
    const pod = cluster.byKey('pods', key);
    if (!eviction || !pod) return records.length > 0 ? { records, steps: [], memory: { isFired: false } } : undefined;
    if (now < eviction.at) return { records, steps: [], memory: { isFired: false }, wakeAt: eviction.at };
    const fired = marked(pod, key, eviction.isFired ?? false);
    const cause = eviction.cause ? { cause: eviction.cause } : {};
    return { ...cause, records: [...records, ...fired.records], steps: fired.steps, memory: { isFired: true } };
  },

  looked({ evictions, cancelled }, key, memory) {
    const looked = memory as Told | undefined;
    if (!looked) return;
    cancelled.delete(key);
    const eviction = evictions.get(key);
    if (looked.isFired && eviction) evictions.set(key, { ...eviction, isFired: true });
  },
};

/** A pod that goes already is told once more, and that is all. */
function marked(pod: KubeObject, key: ObjectKey, isFired: boolean): { records: Fact[]; steps: Step[] } {
  const { namespace, name: pods, uid, deletionTimestamp } = pod.metadata;
  if (deletionTimestamp) return { records: isFired ? [] : [told(pod, `Marking for deletion Pod ${key}`)], steps: [] };
  const mark = disruptionMark(pod, 'DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint');
  const target = { resource: 'pods', namespace, name: pods };
  return { records: [], steps: [{ step: 'evict', request: { verb: 'disrupt', target, uid, mark } }] };
}

function told(pod: KubeObject, message: string): Fact {
  return report(name, 'pods', pod, { reason: 'TaintManagerEviction', message });
}
