import type { KubeObject } from '#libs/kernel';

export interface BudgetStatus {
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
}

/** `allows 0 disruptions: 3 of 4 pods are healthy, 3 have to be`. */
export function budgetStanding({ status }: KubeObject): string[] {
  const { disruptionsAllowed: allowed, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = (status ?? {}) as BudgetStatus;
  if (allowed === undefined) return ['not looked at yet: it allows nothing'];
  if (expectedPods === 0) return ['covers no pod now'];
  return [
    `allows ${allowed} disruption${allowed === 1 ? '' : 's'}: ${currentHealthy} of ${expectedPods} pods are healthy, ${desiredHealthy} have to be`,
  ];
}
