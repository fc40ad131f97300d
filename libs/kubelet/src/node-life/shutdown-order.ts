import type { ClusterState, Shutdown } from '#libs/cluster-state';
import { durationMs, type KubeObject } from '#libs/kernel';
import type { Rejection } from '../admission/rejection';
import type { StopOrder } from '../pod-lifecycle/runtime/phases/order';
import { specOf } from '../pod-lifecycle/pod-types';

const message = 'Pod was terminated in response to imminent node shutdown.';

/** The stage of the shutdown that a pod's priority puts it into: the last whose priority it has. */
export function stageOf(pod: KubeObject, { periods }: Shutdown): number {
  const priority = (pod.spec?.priority as number | undefined) ?? 0;
  return Math.max(
    0,
    periods.findLastIndex((period) => period.priority <= priority),
  );
}

/** The pod's node shuts down, and its stage has come (upstream `nodeshutdown` manager): it has no more time than its stage has. */
export const shutdownOrder: StopOrder = (_runtime, { cluster, node, pod }) => {
  const { shutdown } = cluster.decisions.nodes.of(node.metadata.name);
  const stage = shutdown && stageOf(pod, shutdown);
  const at = stage === undefined ? undefined : shutdown?.begun[stage];
  if (shutdown === undefined || stage === undefined || at === undefined) return undefined;
  const most = shutdown.periods[stage]?.shutdownGracePeriodSeconds ?? 0;
  const graceSeconds = Math.min(specOf(pod).terminationGracePeriodSeconds ?? 30, most);
  return { cause: 'order', at, graceSeconds, verdict: { reason: 'Terminated', message, isLate: true, disruption: message } };
};

/** No pod is taken any more by a node that shuts down. */
export function shutdownRejection(cluster: ClusterState, { metadata }: KubeObject): Rejection | undefined {
  if (!cluster.decisions.nodes.of(metadata.name).shutdown) return undefined;
  return { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' };
}

/** When a stage's time is over, ms; undefined: it has not begun. */
export function stageEndsAt({ begun, periods }: Shutdown, stage: number): number | undefined {
  const at = begun[stage];
  return at === undefined ? undefined : at + durationMs(periods[stage]?.shutdownGracePeriodSeconds ?? 0);
}
