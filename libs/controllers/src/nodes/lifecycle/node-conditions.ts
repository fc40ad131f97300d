import { conditionOf, type Condition } from '#libs/cluster-state';
import { formatTime, type KubeObject } from '#libs/kernel';

export const notReady = 'node.kubernetes.io/not-ready';
export const unreachable = 'node.kubernetes.io/unreachable';

/** `True`, `False`, `Unknown`; undefined: nobody has said. */
export function readiness(node: KubeObject): string | undefined {
  return conditionOf(node, 'Ready')?.status;
}

/** What is not known any more of a node that is not heard; NetworkUnavailable is not the kubelet's to say. */
const ofKubelet = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The node when nothing has been heard of its kubelet for too long. */
export function withUnknownConditions(node: KubeObject, now: number): KubeObject {
  const lastTransitionTime = formatTime(now);
  const conditions = ((node.status?.conditions ?? []) as Condition[]).slice();
  for (const type of ofKubelet) {
    const place = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[place];
    if (!old) {
      const lastHeartbeatTime = node.metadata.creationTimestamp as string;
      const message = 'Kubelet never posted node status.';
      conditions.push({ type, status: 'Unknown', lastHeartbeatTime, lastTransitionTime, reason: 'NodeStatusNeverUpdated', message });
    } else if (old.status !== 'Unknown') {
      const message = 'Kubelet stopped posting node status.';
      conditions[place] = { ...old, status: 'Unknown', lastTransitionTime, reason: 'NodeStatusUnknown', message };
    }
  }
  return { ...node, status: { ...node.status, conditions } };
}
