import type { GroupResource } from '#libs/kernel';

/**
 * What a status is that nobody has written yet: the fields that are always printed. Kinds not named here have an empty one.
 */
const zero: Record<GroupResource, Record<string, unknown>> = {
  'replicasets.apps': { replicas: 0 },
  replicationcontrollers: { replicas: 0 },
  'statefulsets.apps': { replicas: 0, availableReplicas: 0 },
  'daemonsets.apps': { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  'poddisruptionbudgets.policy': { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  'horizontalpodautoscalers.autoscaling': { desiredReplicas: 0, currentMetrics: null },
  'ingresses.networking.k8s.io': { loadBalancer: {} },
  services: { loadBalancer: {} },
  persistentvolumes: { phase: 'Pending' },
  persistentvolumeclaims: { phase: 'Pending' },
};

export function zeroStatus(resource: GroupResource): Record<string, unknown> {
  return Object.hasOwn(zero, resource) ? { ...zero[resource] } : {};
}
