import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds';
import type { Failure } from '../status';
import type { Prepared, WriteContext } from './request';

type Operation = 'CREATE' | 'UPDATE';

/**
 * What the review says so far: nobody is asked (`object` as it is), the answer is still wanted, the object as the reviewer
 * makes it, or the refusal.
 */
export function reviewAnswer(kind: ResourceKind, operation: Operation, object: KubeObject, context: WriteContext): KubeObject | 'wanted' | Failure {
  if (!isReviewed(kind, operation)) return object;
  const answer = context.review;
  if (!answer) return 'wanted';
  if (answer.type === 'PodRejected' || answer.type === 'PriorityClassRejected') return answer.data.status as unknown as Failure;
  if (answer.type !== 'PodAdmitted') return object;
  const { priorityClassName, priority, preemptionPolicy } = answer.data as { priorityClassName?: string; priority: number; preemptionPolicy: string };
  const spec = { ...object.spec, ...(priorityClassName ? { priorityClassName } : {}), priority, preemptionPolicy };
  return { ...object, spec };
}

/** Reviewers are few and known: priority-admission looks at new pods and at every new or changed PriorityClass. */
function isReviewed(kind: ResourceKind, operation: Operation): boolean {
  return kind.groupResource === 'priorityclasses.scheduling.k8s.io' || (kind.groupResource === 'pods' && operation === 'CREATE');
}

/** The request for a review: the facts that the reviewer needs, nothing more. */
export function reviewOf(kind: ResourceKind, operation: Operation, object: KubeObject, dryRun: boolean | undefined): Prepared {
  const { namespace = '', name, generateName } = object.metadata;
  const marked = dryRun ? { dryRun } : {};
  if (kind.groupResource === 'pods') {
    const { priorityClassName, priority, preemptionPolicy } = object.spec ?? {};
    const data = {
      operation,
      namespace,
      name: name ?? generateName ?? '',
      ...(priorityClassName ? { priorityClassName } : {}),
      ...(priority === undefined ? {} : { priority }),
      ...(preemptionPolicy ? { preemptionPolicy } : {}),
      ...marked,
    };
    return { kind: 'review', stream: 'admission-reviews', request: fact('PodAdmissionRequested', data), reviewer: 'priority-admission' };
  }
  const data = { operation, name, value: object.value ?? 0, globalDefault: object.globalDefault === true, ...marked };
  return { kind: 'review', stream: 'admission-reviews', request: fact('PriorityClassAdmissionRequested', data), reviewer: 'priority-admission' };
}
