import type { Reconciler } from '#libs/control-loop';
import { parseTime, type KubeObject } from '#libs/kernel';

/** How long a deletion may stand half done before it is finished here, ms of cluster time. */
const patienceMs = 2_000;

/**
 * Removes pods that are marked for deletion, and that neither a grace period nor a finalizer holds. Today the mark and the removal are one
 * append (docs/decisions/0009); in logs of older versions they are two, and a process may have died between them.
 */
export const deletionFinisher: Reconciler = {
  name: 'deletion-finisher',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: ['pods'],
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
