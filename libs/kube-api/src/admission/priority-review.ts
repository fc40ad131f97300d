import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { forbiddenRequest, type Failure } from '../status';
import type { ReviewStep } from './chain';
import { requestedName } from './namespace-lifecycle';
import { withPriority, type PodPriority } from './priority';

const reviewer = 'priority-admission';
const stream = 'admission-reviews';

/** The facts that the reviewer needs, nothing more. */
export const podPriorityReview: Omit<ReviewStep, 'handles'> = {
  name: 'Priority',
  reviewer,
  stream,
  question: ({ metadata, spec }, { operation, dryRun }) => {
    const { namespace = '', name, generateName } = metadata;
    const { priorityClassName, priority, preemptionPolicy } = spec ?? {};
    return fact('PodAdmissionRequested', {
      operation,
      namespace,
      name: name ?? generateName ?? '',
      ...(priorityClassName ? { priorityClassName } : {}),
      ...(priority === undefined ? {} : { priority }),
      // An empty one is given, and is another than the computed one.
      ...(typeof preemptionPolicy === 'string' ? { preemptionPolicy } : {}),
      ...(dryRun ? { dryRun } : {}),
    });
  },
  isAnswer: ({ type }) => type === 'PodAdmitted' || type === 'PodRejected',
  answered: (pod, { type, data }) =>
    type === 'PodRejected' ? refusedByName(pod, data.status as unknown as Failure) : withPriority(pod, data as unknown as PodPriority),
};

/** The reviewer knows only names that are given; a client is told of the pod by whatever it can be called. */
function refusedByName(pod: KubeObject, status: Failure): Failure {
  if (pod.metadata.name) return status;
  return forbiddenRequest('pods', requestedName(pod), status.message.replace(/^.*? is forbidden: /s, ''));
}

/** Asks whether this PriorityClass may be written: only one may be the default. */
export const priorityClassReview: Omit<ReviewStep, 'handles'> = {
  name: 'Priority',
  reviewer,
  stream,
  question: (object, { operation, dryRun }) =>
    fact('PriorityClassAdmissionRequested', {
      operation,
      name: object.metadata.name,
      value: object.value ?? 0,
      globalDefault: object.globalDefault === true,
      ...(dryRun ? { dryRun } : {}),
    }),
  isAnswer: ({ type }) => type === 'PriorityClassAdmitted' || type === 'PriorityClassRejected',
  answered: (object, { type, data }) => (type === 'PriorityClassRejected' ? (data.status as unknown as Failure) : object),
};
