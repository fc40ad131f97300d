import type { Reconciler } from '#libs/control-loop';
import { parseTime, type KubeObject } from '#libs/kernel';

/** How long the writer of a deletion is left to finish it himself, ms. */
const patienceMs = 2_000;

/**
 * A pod's deletion is two appends: the mark without grace, then the removal. Whoever died in between left a pod that nothing
 * holds any more; this finishes what was begun.
 */
export const deletionFinisher: Reconciler = {
  name: 'deletion-finisher',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follow: (_index, { change }) =>
    change?.resource === 'pods' && change.type === 'MODIFIED' && isReleased(change.object) ? [change.key] : [],
  *allSubjects(_index, cluster) {
    for (const [key, pod] of cluster.table('pods').objects) if (isReleased(pod)) yield key;
  },
  reconcile(cluster, _index, key, { now }) {
    const pod = cluster.byKey('pods', key);
    if (!pod || !isReleased(pod)) return undefined;
    const due = (parseTime(pod.metadata.deletionTimestamp) ?? 0) + patienceMs;
    if (now < due) return { steps: [], wakeAt: due };
    const { namespace, name, uid } = pod.metadata;
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    return { steps: [{ step: 'delete', request: { verb: 'delete', target: { resource: 'pods', namespace, name }, options } }] };
  },
};

function isReleased({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0 && !metadata.finalizers?.length;
}
