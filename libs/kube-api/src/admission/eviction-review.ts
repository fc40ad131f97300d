import { fact } from '#libs/events';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Failure } from '../status';
import type { ReviewStep } from './chain';

/** An eviction as it is asked for: `policy/v1 Eviction`. */
export type Eviction = KubeObject & { deleteOptions?: object };

/** Whether the disruption budgets let a pod go. A grant is charged to the budget before it is given, unless it is a dry run. */
export const evictionReview: Omit<ReviewStep, 'handles'> = {
  name: 'PodDisruptionBudget',
  reviewer: 'pdb-controller',
  stream: 'eviction-reviews',
  question: (eviction, { dryRun }) =>
    fact('EvictionRequested', {
      namespace: eviction.metadata.namespace ?? '',
      pod: eviction.metadata.name,
      options: ((eviction as Eviction).deleteOptions ?? {}) as JsonObject,
      ...(dryRun ? { dryRun } : {}),
    }),
  isAnswer: ({ type }) => type === 'EvictionGranted' || type === 'EvictionRefused',
  answered: (eviction, { type, data }) => (type === 'EvictionRefused' ? (data.status as unknown as Failure) : eviction),
};
