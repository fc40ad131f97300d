export const budgets = 'poddisruptionbudgets.policy';

/** How long a pod may stay after its eviction was allowed before its budget gets the disruption back (upstream DeletionTimeout), ms. */
export const disruptionTimeoutMs = 120_000;
