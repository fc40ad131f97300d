import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { podInfoOf } from '#libs/scheduling';
import type { Rejection } from '../admission/rejection';
import { toleratesTaint } from '../admission/node-affinity';
import { isCriticalPod } from '../admission/critical-pods';

const memoryTaint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };

/** Conditions of the node that its eviction manager holds for true: `MemoryPressure`, `DiskPressure`. */
export function pressureOn(cluster: ClusterState, node: string): readonly string[] {
  return cluster.decisions.nodes.of(node).pressure?.conditions.map(({ type }) => type) ?? [];
}

/**
 * What keeps a kubelet whose node is short of something from taking a pod (upstream `managerImpl.Admit`): short of memory alone it takes what is
 * not best effort, and what bears it; critical pods it always takes.
 */
export function pressureRejection(cluster: ClusterState, pod: KubeObject, node: string): Rejection | undefined {
  const conditions = pressureOn(cluster, node);
  if (conditions.length === 0 || isCriticalPod(pod)) return undefined;
  if (conditions.length === 1 && conditions[0] === 'MemoryPressure') {
    if (pod.status?.qosClass !== 'BestEffort') return undefined;
    if (podInfoOf(pod).tolerations.some((toleration) => toleratesTaint(toleration, memoryTaint))) return undefined;
  }
  return { reason: 'Evicted', message: `The node had condition: [${conditions.join(' ')}]. ` };
}
