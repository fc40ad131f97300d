import type { ClusterState } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { fact, type EventData, type Fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { statuses, type Status } from '#libs/kube-api';
import { priorityClassProblem, resolvePodPriority } from './priority-rules';

const priorityClasses = 'priorityclasses.scheduling.k8s.io';

type PodRequest = EventData<'PodAdmissionRequested'>;
type ClassRequest = EventData<'PriorityClassAdmissionRequested'>;

const answerers: Record<string, (cluster: ClusterState, review: string, request: never) => Fact> = {
  PodAdmissionRequested: answerPod,
  PriorityClassAdmissionRequested: answerPriorityClass,
};

/** Whether events of this type ask something of this app. */
export function isPriorityReview(type: string): boolean {
  return Object.hasOwn(answerers, type);
}

/** The answer to a review, as of the cluster given. */
export function answerReview(cluster: ClusterState, event: RecordedEvent): Fact | undefined {
  const answerer = isPriorityReview(event.type) ? answerers[event.type] : undefined;
  return answerer?.(cluster, event.id, event.data as never);
}

/** An update keeps the priority that the pod was created with, whatever has become of its class. */
function answerPod(cluster: ClusterState, review: string, request: PodRequest): Fact {
  if (request.operation === 'UPDATE') {
    const { priorityClassName, priority = 0, preemptionPolicy = 'PreemptLowerPriority' } = request;
    return fact('PodAdmitted', { review, ...(priorityClassName ? { priorityClassName } : {}), priority, preemptionPolicy });
  }
  const table = cluster.table(priorityClasses);
  const found = resolvePodPriority(
    request,
    (name) => table.get(`/${name}`),
    () => table.objects.values(),
  );
  if ('forbidden' in found) return fact('PodRejected', { review, status: refusal('pods', request.name, found.forbidden) });
  return fact('PodAdmitted', { review, ...found });
}

function answerPriorityClass(cluster: ClusterState, review: string, request: ClassRequest): Fact {
  const problem = priorityClassProblem(request, cluster.table(priorityClasses).objects.values());
  if (!problem) return fact('PriorityClassAdmitted', { review });
  return fact('PriorityClassRejected', { review, status: refusal(priorityClasses, request.name, problem.forbidden) });
}

function refusal(resource: string, name: string, text: string): JsonObject {
  const status: Status = statuses.forbiddenRequest(resource, name, text);
  return status as unknown as JsonObject;
}
