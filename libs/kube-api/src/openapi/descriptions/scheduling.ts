import type { Words } from './words';

/** Priority and disruption. */
export const schedulingWords: Words = {
  'scheduling.v1.PriorityClass': {
    '': 'Names a priority that pods can ask for. Its value never changes; delete it and create it again to change it.',
    value:
      'The priority of pods of this class; higher ones are scheduled first and may preempt lower ones. At most 1000000000 for classes of users.',
    globalDefault: 'Pods that name no class get this one. Only one class may be the default.',
    preemptionPolicy:
      'Whether pods of this class may make room for themselves by preemption (PreemptLowerPriority), or wait in line only (Never).',
    description: 'When to use this class.',
  },
  'policy.v1.PodDisruptionBudget': {
    '': 'Limits how many pods of a set may be evicted at the same time. Preemption respects it only where it can.',
  },
  'policy.v1.Eviction': {
    '': 'A request to delete a pod if the disruption budgets allow it.',
    deleteOptions: 'How the pod is deleted.',
  },
  'policy.v1.PodDisruptionBudgetSpec': {
    '': 'What the budget should be.',
    minAvailable: 'How many pods, or what share of them, have to stay healthy. Not together with maxUnavailable.',
    maxUnavailable: 'How many pods, or what share of them, may be missing. Not together with minAvailable.',
    selector: 'The pods that are counted. Empty ({}): all of the namespace; absent: none.',
    unhealthyPodEvictionPolicy:
      'Whether running pods that are not ready may be evicted always (AlwaysAllow) or only within the budget (IfHealthyBudget).',
  },
  'policy.v1.PodDisruptionBudgetStatus': {
    '': 'What the budget is.',
    conditions: 'DisruptionAllowed, and why not.',
    disruptionsAllowed: 'How many evictions are granted now.',
    currentHealthy: 'How many pods are healthy.',
    desiredHealthy: 'How many have to be.',
    expectedPods: 'How many pods are counted.',
    disruptedPods: 'Pods whose eviction was granted and has not been seen yet.',
    observedGeneration: 'The generation of the spec that the figures are of; until it is the present one nothing is evicted.',
  },
};
