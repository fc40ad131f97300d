import { X509Certificate } from 'node:crypto';
import type { Reconciler } from '#libs/control-loop';
import { parseTime, type KubeObject } from '#libs/kernel';
import { certificateOf, changedRequest, conditionsOf, requests } from './requests';

const hourMs = 3_600_000;
const answeredMs = hourMs;
const pendingMs = 24 * hourMs;

/** Deletes requests that nobody needs any more: an hour after their answer, a day after they were made (upstream `csrcleaner`). */
export const requestCleaner: Reconciler = {
  name: 'certificatesigningrequest-cleaner-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  *allSubjects(_index, cluster) {
    for (const { metadata } of cluster.table(requests).objects.values()) yield metadata.name;
  },

  follows: [requests],
  *follow(_index, append) {
    yield* changedRequest(append);
  },

  reconcile(cluster, _index, name, { now }) {
    const request = cluster.get(requests, undefined, name);
    if (!request || request.metadata.deletionTimestamp) return undefined;
    const end = endOf(request);
    if (end === undefined) return undefined;
    if (now <= end) return { steps: [], wakeAt: end + 1 };
    const { uid } = request.metadata;
    return {
      steps: [{ step: 'delete', request: { verb: 'delete', target: { resource: requests, name }, options: { preconditions: { uid } } } }],
    };
  },
};

/** Ms since the epoch; undefined: it stays. */
function endOf(request: KubeObject): number | undefined {
  const conditions = conditionsOf(request);
  if (conditions.length === 0) return after(request.metadata.creationTimestamp, pendingMs);
  const certificate = certificateOf(request);
  const ends = conditions.flatMap(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return after(lastUpdateTime, answeredMs) ?? [];
    if (type !== 'Approved' || certificate === '') return [];
    return [after(lastUpdateTime, answeredMs), expiryOf(certificate)].filter((end) => end !== undefined);
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function after(time: string | null | undefined, ms: number): number | undefined {
  const since = parseTime(time);
  return since === undefined ? undefined : since + ms;
}

/** @param encoded base64 of PEM */
function expiryOf(encoded: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(Buffer.from(encoded, 'base64')).validTo);
  } catch {
    return undefined;
  }
}
