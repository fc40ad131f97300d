import { quotaChargeMs, type ClusterState, type FoldedAppend, type ObjectChange } from '#libs/cluster-state';
import type { Reconciler, Reconciliation } from '#libs/control-loop';
import { objectKey, type KubeObject } from '#libs/kernel';
import {
  addTo,
  demandOf,
  isTracked,
  kindsOf,
  masked,
  overdueAt,
  readList,
  recounted,
  sameAmounts,
  usageOf,
  writeList,
  type ResourceList,
} from '#libs/kube-api';

const quotas = 'resourcequotas';
const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Counts what is used of quotas, where that may have become less or what is limited has changed (upstream resource quota controller); subjects
 * are keys of quotas. Whatever becomes more is charged before it is written (`resource-quota-admission`), and a charge whose write has not come
 * yet counts here too: so between the two nothing is free that is not.
 */
export const quotaController: Reconciler = {
  name: 'resourcequota-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  *follow(_index, { change }: FoldedAppend, cluster): Iterable<string> {
    if (change?.resource === definitions) yield* quotasOnCustom(cluster, change.object);
    if (!change?.namespace) return;
    if (change.resource === quotas) {
      if (change.type !== 'DELETED' && change.before?.spec !== change.object.spec) yield change.key;
      if (change.type === 'MODIFIED') return;
    }
    // Most namespaces have no quota: what the object takes is found out where somebody counts it.
    let frees: boolean | undefined;
    for (const quota of cluster.list(quotas, change.namespace))
      if (counts(quota, change) && (frees ??= mayFreeSomething(change))) yield objectKey(quota.metadata.namespace, quota.metadata.name);
  },

  *allSubjects(_index, cluster): Iterable<string> {
    yield* cluster.table(quotas).keys();
  },

  reconcile(cluster, _index, key, { now }) {
    const quota = cluster.byKey(quotas, key);
    return quota && recount(cluster, quota, now);
  },
};

/** A kind that comes or goes is counted, or not any more. */
function* quotasOnCustom(cluster: ClusterState, { metadata }: KubeObject): Iterable<string> {
  for (const [key, { spec }] of cluster.table(quotas).objects) if (Object.hasOwn(spec?.hard ?? {}, `count/${metadata.name}`)) yield key;
}

/** What comes into being has been charged. An update frees something where the object takes less than before. */
function mayFreeSomething({ type, resource, before, object }: ObjectChange): boolean {
  if (type === 'ADDED') return false;
  if (type === 'DELETED') return true;
  if (resource !== 'pods' && resource !== 'services' && resource !== 'persistentvolumeclaims') return false;
  return !before || !takesTheSame(resource, before, object);
}

/** Cheap for what does not matter: most changes of a pod are of its conditions. */
function takesTheSame(resource: string, before: KubeObject, after: KubeObject): boolean {
  if (before.spec === after.spec && before.metadata.deletionTimestamp === after.metadata.deletionTimestamp) {
    const [was, is] = [before.status, after.status];
    if (resource === 'services' || was === is) return true;
    if (resource === 'pods' && was?.phase === is?.phase && was?.containerStatuses === is?.containerStatuses) return true;
  }
  const [was, is] = [before, after].map((object) => demandOf(resource, object, 0).usage) as [ResourceList, ResourceList];
  return sameAmounts(was, is) && before.metadata.deletionTimestamp === after.metadata.deletionTimestamp;
}

function counts({ spec, status }: KubeObject, { resource }: ObjectChange): boolean {
  return [spec?.hard, status?.hard].some((hard) => Object.keys(hard ?? {}).some((name) => isTracked(resource, name)));
}

function recount(cluster: ClusterState, quota: KubeObject, now: number): Reconciliation | undefined {
  const { namespace, name, uid = '' } = quota.metadata;
  const usage = usageOf(quota, { kinds: kindsOf(cluster), list: (resource, of) => cluster.list(resource, of) }, now);
  let wakeAt = soonestOverdue(cluster, quota, now);
  for (const charge of cluster.decisions.quotaCharges.of(uid, now)) {
    addTo(usage, masked(readList(charge.amounts), usage));
    wakeAt = Math.min(wakeAt ?? Infinity, charge.at + quotaChargeMs + 1);
  }
  const { hard, used } = recounted(quota, usage);
  const { status } = quota;
  const isSame =
    status?.hard !== undefined &&
    status.used !== undefined &&
    sameAmounts(hard, readList(status.hard)) &&
    sameAmounts(used, readList(status.used));
  if (isSame) return { steps: [], wakeAt };
  const object = { ...quota, status: { ...status, hard: writeList(hard), used: writeList(used) } };
  const target = { resource: quotas, namespace, name };
  return { steps: [{ step: 'status', request: { verb: 'update', target, subresource: 'status', object } }], wakeAt };
}

/** When the next pod that is on its way out counts no longer. */
function soonestOverdue(cluster: ClusterState, quota: KubeObject, now: number): number | undefined {
  if (!counts(quota, { resource: 'pods' } as ObjectChange)) return undefined;
  let soonest: number | undefined;
  for (const pod of cluster.list('pods', quota.metadata.namespace)) {
    const at = overdueAt(pod);
    if (at !== undefined && at >= now && (soonest === undefined || at + 1 < soonest)) soonest = at + 1;
  }
  return soonest;
}
