import { hasKubelet, kubeletStart, lastTick, type ClusterState } from '#libs/cluster-state';
import { parseTime, type KubeObject } from '#libs/kernel';
import { readiness } from './node-conditions';
import { passFrom, type NodeLifecycleSettings } from './settings';

export const leaseResource = 'leases.coordination.k8s.io';
export const leaseNamespace = 'kube-node-lease';

/** What counts as heard, beside the log's facts about simulated nodes. */
export interface Heard {
  /** When a sign of life of kubelets that are not simulated was last seen, ms, by node. */
  readonly others: ReadonlyMap<string, number>;
  /** Before this no silence counts: all nodes had been silent, so it may have been this controller that heard nothing; ms. */
  readonly graceFrom: number;
}

/**
 * The pass at which the node is unknown if nothing is heard of it until then, ms; undefined: it is heard, or nobody speaks for it. The heartbeats of
 * simulated kubelets are in no log: they come every 10 s from the kubelet's start, until the log says that it is silent.
 */
export function lapsesAt(cluster: ClusterState, node: KubeObject, heard: Heard, settings: NodeLifecycleSettings): number | undefined {
  const last = lastHeartbeat(cluster, node, heard);
  if (last === undefined) return undefined;
  const grace = readiness(node) === undefined ? settings.startupGraceMs : settings.monitorGraceMs;
  return passFrom(passFrom(Math.max(last, heard.graceFrom)) + grace);
}

function lastHeartbeat(cluster: ClusterState, node: KubeObject, { others }: Heard): number | undefined {
  const { name, creationTimestamp } = node.metadata;
  if (!hasKubelet(node)) return others.get(name);
  const { silentSince } = cluster.decisions.nodes.of(name);
  if (silentSince === undefined) return undefined;
  const createdAt = parseTime(creationTimestamp) ?? silentSince;
  if (readiness(node) === undefined) return createdAt;
  const renewed = parseTime(cluster.get(leaseResource, leaseNamespace, name)?.spec?.renewTime as string | undefined);
  const ticked = lastTick(kubeletStart(cluster, name, createdAt), silentSince);
  return renewed !== undefined && renewed <= silentSince ? Math.max(renewed, ticked) : ticked;
}
