import type { ClusterState } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { fact, type EventData, type Fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import {
  admitPriorityClass,
  answeredQuestion,
  defaultPriorityClass,
  forbiddenRequest,
  isRefusal,
  priorityClassFacts,
  resolvePodPriority,
  type PriorityClassFacts,
  type PriorityClassLookup,
} from '#libs/kube-api';

const priorityClasses = 'priorityclasses.scheduling.k8s.io';

type PodRequest = EventData<'PodAdmissionRequested'>;
type ClassRequest = EventData<'PriorityClassAdmissionRequested'>;

/** Whether events of this type ask something of this app. */
export function isPriorityReview(type: string): boolean {
  return type === 'PodAdmissionRequested' || type === 'PriorityClassAdmissionRequested';
}

/** The answer to a review, as of the cluster given. */
export function answerReview(cluster: ClusterState, event: RecordedEvent): Fact | undefined {
  if (event.type === 'PodAdmissionRequested') return answerPod(cluster, event.id, event.data as unknown as PodRequest);
  if (event.type === 'PriorityClassAdmissionRequested')
    return answerPriorityClass(cluster, event.id, event.data as unknown as ClassRequest);
  return undefined;
}

/** An update keeps the priority that the pod was created with, whatever has become of its class. */
function answerPod(cluster: ClusterState, review: string, request: PodRequest): Fact {
  const question = answeredQuestion(request);
  if (request.operation === 'UPDATE') {
    const { priorityClassName, priority = 0, preemptionPolicy = 'PreemptLowerPriority' } = request;
    return fact('PodAdmitted', { review, ...question, ...(priorityClassName ? { priorityClassName } : {}), priority, preemptionPolicy });
  }
  const found = resolvePodPriority(request, lookupIn(cluster));
  if (isRefusal(found)) return fact('PodRejected', { review, ...question, status: refusedStatus('pods', request.name, found.refusal) });
  return fact('PodAdmitted', { review, ...question, ...found });
}

function answerPriorityClass(cluster: ClusterState, review: string, request: ClassRequest): Fact {
  const operation = request.operation === 'UPDATE' ? 'update' : 'create';
  const refused = admitPriorityClass(operation, request, classesIn(cluster));
  if (!refused) return fact('PriorityClassAdmitted', { review, ...answeredQuestion(request) });
  const status = refusedStatus(priorityClasses, request.name, refused.refusal);
  return fact('PriorityClassRejected', { review, ...answeredQuestion(request), status });
}

function lookupIn(cluster: ClusterState): PriorityClassLookup {
  const table = cluster.table(priorityClasses);
  return {
    get: (name) => {
      const found = table.get(`/${name}`);
      return found && priorityClassFacts(found);
    },
    globalDefault: () => defaultPriorityClass(classesIn(cluster)),
  };
}

function* classesIn(cluster: ClusterState): Iterable<PriorityClassFacts> {
  for (const object of cluster.table(priorityClasses).objects.values()) yield priorityClassFacts(object);
}

function refusedStatus(resource: string, name: string, text: string): JsonObject {
  return forbiddenRequest(resource, name, text) as unknown as JsonObject;
}
