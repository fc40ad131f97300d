import type { StopOrder } from '../pod-lifecycle/runtime/phases/order';

/** The pod's kubelet has ordered that it stops: it is evicted, or makes room for a critical one. A kubelet that begins anew knows nothing of it. */
export const orderedStop: StopOrder = (_runtime, { cluster, node, marks: { order } }) => {
  if (!order || order.at < (cluster.decisions.nodes.of(node.metadata.name).kubeletStartedAt ?? 0)) return undefined;
  const { at, graceSeconds, reason, message, disruption } = order;
  return {
    cause: 'order',
    at,
    graceSeconds,
    verdict: { reason, message, isLate: true, ...(disruption === undefined ? {} : { disruption }) },
  };
};
