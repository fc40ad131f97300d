import { formatTime, type KubeObject } from '#libs/kernel';

export interface StatusCondition {
  type: string;
  status: string;
  observedGeneration?: number;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

export interface BudgetStatus {
  observedGeneration?: number;
  /** Pod name → when its eviction was allowed (RFC 3339). */
  disruptedPods?: Record<string, string>;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  conditions?: StatusCondition[];
}

export function statusOf(budget: KubeObject): BudgetStatus {
  return { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...budget.status };
}

/** Sets a condition; its time moves only when its status flips (upstream `meta.SetStatusCondition`). */
export function withStatusCondition(status: BudgetStatus, next: Omit<StatusCondition, 'lastTransitionTime'>, now: number): BudgetStatus {
  const conditions = status.conditions ?? [];
  const place = conditions.findIndex((condition) => condition.type === next.type);
  const old = conditions[place];
  const condition: StatusCondition = {
    type: next.type,
    status: next.status,
    ...(next.observedGeneration ? { observedGeneration: next.observedGeneration } : {}),
    lastTransitionTime: old?.status === next.status ? old.lastTransitionTime : formatTime(now),
    reason: next.reason,
    message: next.message,
  };
  return { ...status, conditions: place < 0 ? [...conditions, condition] : conditions.with(place, condition) };
}

/** Condition DisruptionAllowed as it follows from disruptionsAllowed. */
export function withAllowedCondition(status: BudgetStatus, now: number): BudgetStatus {
  const allowed = status.disruptionsAllowed > 0;
  return withStatusCondition(
    status,
    {
      type: 'DisruptionAllowed',
      status: allowed ? 'True' : 'False',
      observedGeneration: status.observedGeneration,
      reason: allowed ? 'SufficientPods' : 'InsufficientPods',
      message: '',
    },
    now,
  );
}

/** The sync failed: nothing may be disrupted, all else stays as it was computed last. */
export function withSyncFailure(status: BudgetStatus, message: string, now: number): BudgetStatus {
  const failed = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: status.observedGeneration,
    reason: 'SyncFailed',
    message,
  };
  return withStatusCondition({ ...status, disruptionsAllowed: 0 }, failed, now);
}
