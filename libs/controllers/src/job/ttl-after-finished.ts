import type { Reconciler } from '#libs/control-loop';
import { durationMs, parseTime, type KubeObject } from '#libs/kernel';
import { finishedBy } from './finish';

const jobs = 'jobs.batch';

/** Deletes Jobs that have been over for as long as they say (upstream TTL-after-finished controller). Subjects: `NAMESPACE/NAME`. */
export const ttlAfterFinished: Reconciler = {
  name: 'ttl-after-finished-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  *allSubjects(_index, cluster): Iterable<string> {
    for (const [key, job] of cluster.table(jobs).objects) if (expiryOf(job) !== undefined) yield key;
  },

  follows: [jobs],
  *follow(_index, { change }): Iterable<string> {
    if (change?.resource === jobs && change.type !== 'DELETED' && expiryOf(change.object) !== undefined) yield change.key;
  },

  reconcile(cluster, _index, key, { now }) {
    const job = cluster.byKey(jobs, key);
    const at = job && expiryOf(job);
    if (!job || at === undefined) return undefined;
    if (at > now) return { steps: [], wakeAt: at };
    const { namespace, name, uid } = job.metadata;
    const options = { propagationPolicy: 'Foreground' as const, preconditions: { uid } };
    return { steps: [{ step: 'delete', request: { verb: 'delete', target: { resource: jobs, namespace, name }, options } }] };
  },
};

/** When the Job is to go, ms since the epoch; undefined: it stays, or goes already. */
function expiryOf({ metadata, spec, ...job }: KubeObject): number | undefined {
  const seconds = spec?.ttlSecondsAfterFinished as number | undefined;
  const end = seconds === undefined || metadata.deletionTimestamp ? undefined : finishedBy({ metadata, spec, ...job });
  const time = parseTime(end?.lastTransitionTime);
  return time === undefined ? undefined : time + durationMs(seconds as number);
}
