import { kubeletStart, type ClusterState } from '#libs/cluster-state';
import { parseTime, type KubeObject } from '#libs/kernel';

/** How often the kubelet asks its container runtime whether it is well, ms (upstream `updateRuntimeUp`). */
const runtimeAskMs = 5_000;

/**
 * From when on the kubelet looks after its pods, ms; Infinity: its container runtime is not ready, so it leaves them alone until it is told otherwise.
 * That the runtime is ready again it finds when it next asks.
 */
export function looksAfterPodsFrom(cluster: ClusterState, { metadata }: KubeObject): number {
  const { runtimeDownSince, runtimeUpSince } = cluster.decisions.nodes.of(metadata.name);
  if (runtimeDownSince !== undefined) return Number.POSITIVE_INFINITY;
  if (runtimeUpSince === undefined) return 0;
  const start = kubeletStart(cluster, metadata.name, parseTime(metadata.creationTimestamp) ?? 0);
  return runtimeUpSince <= start ? runtimeUpSince : start + Math.ceil((runtimeUpSince - start) / runtimeAskMs) * runtimeAskMs;
}
