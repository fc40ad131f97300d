import { nodeRecordTypes, type ClusterState } from '#libs/cluster-state';
import type { Reconciler, Reconciliation } from '#libs/control-loop';
import { formatMicroTime, parseTime } from '#libs/kernel';
import { leaseNamespace, leaseResource } from './lease';
import { operatedNode } from './node-of-kubelet';

/** How often a kubelet renews the Lease of its node, ms: a quarter of what the Lease lasts (upstream `renewIntervalFraction`). */
const renewIntervalMs = 10_000;

/**
 * Renews the Lease of every node whose simulated kubelet is at work, so that a controller manager that watches Leases takes them for alive.
 * It writes an event per node and interval. kubereel's own controllers go by no Lease, so this runs only when it is asked for.
 */
export const kubeletHeartbeats: Reconciler = {
  name: 'kubelet-heartbeats',
  behaviour: '1',
  stream: 'kubelet-decisions',
  config: {},

  *follow(_index, { change, events }): Iterable<string> {
    if (!change) {
      for (const event of events) if (nodeRecordTypes.has(event.type)) yield event.data.node as string;
    } else if (change.resource === 'nodes' || (change.resource === leaseResource && change.namespace === leaseNamespace)) {
      yield change.name;
    }
  },

  *allSubjects(_index, cluster) {
    for (const node of cluster.table('nodes').objects.values()) yield node.metadata.name;
  },

  reconcile(cluster, _index, name, { now }) {
    return heartbeat(cluster, name, now, renewIntervalMs);
  },
};

/**
 * While somebody watches Leases they are renewed without being asked for, a second later than they are with `--heartbeats`: where both hold, one of
 * them finds it done.
 */
export function watchedHeartbeat(cluster: ClusterState, name: string, now: number): Reconciliation | undefined {
  return cluster.decisions.heartbeatsWanted ? heartbeat(cluster, name, now, renewIntervalMs + 1_000) : undefined;
}

function heartbeat(cluster: ClusterState, name: string, now: number, intervalMs: number): Reconciliation | undefined {
  const lease = leaseOfOperated(cluster, name);
  if (!lease) return undefined;
  const renewed = parseTime(lease.spec?.renewTime as string | undefined);
  // A time that is still to come says nothing of the last heartbeat.
  const due = renewed !== undefined && renewed <= now ? renewed + intervalMs : now;
  if (now < due) return { steps: [], wakeAt: due };
  const object = { ...lease, spec: { ...lease.spec, holderIdentity: name, renewTime: formatMicroTime(now) } };
  const target = { resource: leaseResource, namespace: leaseNamespace, name };
  return { steps: [{ step: 'renew', request: { verb: 'update', target, object } }], wakeAt: now + intervalMs };
}

/** The Lease of a node whose simulated kubelet is at work. The registration makes a Lease that is missing. */
function leaseOfOperated(cluster: ClusterState, name: string): ReturnType<ClusterState['get']> {
  return operatedNode(cluster, name) && cluster.get(leaseResource, leaseNamespace, name);
}
