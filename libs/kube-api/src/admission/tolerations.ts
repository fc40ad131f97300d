import type { KubeObject } from '#libs/kernel';

interface Toleration {
  key?: string;
  operator?: string;
  effect?: string;
  tolerationSeconds?: number;
}

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
/** Seconds for which a pod stays on a node that is not ready or cannot be reached, unless it says otherwise. */
const defaultSeconds = 300;

function tolerates(tolerations: readonly Toleration[], key: string): boolean {
  return tolerations.some((toleration) => (toleration.key || key) === key && (toleration.effect || 'NoExecute') === 'NoExecute');
}

/** Pods get the two default tolerations, on create and on update, unless they tolerate these taints already. */
export function withDefaultTolerations(pod: KubeObject): KubeObject {
  const tolerations: Toleration[] = pod.spec?.tolerations ?? [];
  const missing = [notReady, unreachable].filter((key) => !tolerates(tolerations, key));
  if (missing.length === 0) return pod;
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: defaultSeconds }));
  return { ...pod, spec: { ...pod.spec, tolerations: [...tolerations, ...added] } };
}

/** A new node takes no pods until its controller has seen it ready. */
export function withNotReadyTaint(node: KubeObject): KubeObject {
  const taints: { key: string; effect: string }[] = node.spec?.taints ?? [];
  if (taints.some(({ key, effect }) => key === notReady && effect === 'NoSchedule')) return node;
  return { ...node, spec: { ...node.spec, taints: [...taints, { key: notReady, effect: 'NoSchedule' }] } };
}
