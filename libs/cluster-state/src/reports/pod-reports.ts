import type { RecordedEvent } from '#libs/event-log';
import { goDuration, type KubeObject } from '#libs/kernel';
import type { ClusterState } from '../cluster-state';
import type { Reference, Report } from './report';

interface NamedContainer {
  name: string;
}

/** Length of a note, bytes; longer ones end in ` ...` (upstream scheduler `truncateMessage`). */
const noteMax = 1024;

export function podReference(pod: KubeObject): Reference {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion };
}

const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

function containerReference(pod: KubeObject, container: string): Reference {
  const named = (list: string): boolean | undefined =>
    (pod.spec?.[list] as NamedContainer[] | undefined)?.some(({ name }) => name === container);
  return { ...podReference(pod), fieldPath: `spec.${lists.find(named) ?? 'containers'}{${container}}` };
}

/** `namespace/name` taken apart; a bare name is in the given namespace. */
function splitName(name: string, namespace: string | undefined): { namespace: string | undefined; name: string } {
  const slash = name.indexOf('/');
  return slash < 0 ? { namespace, name } : { namespace: name.slice(0, slash), name: name.slice(slash + 1) };
}

export function schedulerOf(pod: KubeObject | undefined): string {
  return (pod?.spec?.schedulerName as string | undefined) ?? 'default-scheduler';
}

export function failedScheduling(regarding: Reference, component: string, message: string): Report {
  const bytes = Buffer.from(message, 'utf8');
  const note = bytes.length <= noteMax ? message : `${bytes.toString('utf8', 0, noteMax - 4)} ...`;
  return { regarding, type: 'Warning', reason: 'FailedScheduling', message: note, component, action: 'Scheduling' };
}

function scheduled(pod: KubeObject, event: RecordedEvent): Report[] {
  // A client's own Binding is its own to report.
  if ((event.metadata.actor as string).startsWith('user:')) return [];
  const { namespace, name } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${event.data.node as string}`;
  return [{ regarding: podReference(pod), type: 'Normal', reason: 'Scheduled', message, component: schedulerOf(pod), action: 'Binding' }];
}

function preempted(pod: KubeObject, event: RecordedEvent, cluster: ClusterState): Report[] {
  const { node, preemptor, preemptorUid, schedulerName } = event.data as Record<string, string>;
  const place = splitName(preemptor as string, pod.metadata.namespace);
  const known = cluster.get('pods', place.namespace, place.name)?.metadata;
  const resourceVersion = known?.uid === preemptorUid ? known?.resourceVersion : undefined;
  const related = { apiVersion: 'v1', kind: 'Pod', ...place, uid: preemptorUid as string, resourceVersion };
  const message = `Preempted by pod ${preemptorUid} on node ${node}`;
  const component = schedulerName ?? schedulerOf(pod);
  return [{ regarding: podReference(pod), related, type: 'Normal', reason: 'Preempted', message, component, action: 'Preempting' }];
}

function ofKubelet(pod: KubeObject, container: string, reason: string, message: string): Report {
  return { regarding: containerReference(pod, container), type: 'Normal', reason, message, component: 'kubelet', host: pod.spec?.nodeName };
}

export interface PulledImage {
  tookMs: number;
  waitedMs?: number;
  bytes: number;
  announced?: boolean;
}

/** What is told of an image that a container can be made from. @param pull absent: the node had it */
export function pulledMessage(image: string, pull: PulledImage | undefined): string {
  if (!pull) return `Container image "${image}" already present on machine`;
  const { tookMs, waitedMs = 0, bytes } = pull;
  const durations = `${goDuration(tookMs)} (${goDuration(tookMs + waitedMs)} including waiting)`;
  return `Successfully pulled image "${image}" in ${durations}. Image size: ${bytes} bytes.`;
}

/** How the image came that a container is made from. */
function imageOf(pod: KubeObject, { data }: RecordedEvent): Report[] {
  const { container, image, pull } = data as unknown as { container: string; image: string; pull?: PulledImage };
  const pulled = ofKubelet(pod, container, 'Pulled', pulledMessage(image, pull));
  return !pull || pull.announced ? [pulled] : [ofKubelet(pod, container, 'Pulling', `Pulling image "${image}"`), pulled];
}

function containerStarted(pod: KubeObject, event: RecordedEvent): Report[] {
  const { container, told = [] } = event.data as { container: string; told?: string[] };
  const reports = [
    ...imageOf(pod, event),
    ofKubelet(pod, container, 'Created', `Created container: ${container}`),
    ofKubelet(pod, container, 'Started', `Started container ${container}`),
  ];
  return told.length === 0 ? reports : reports.filter(({ reason }) => !told.includes(reason));
}

function containerStartFailed(pod: KubeObject, event: RecordedEvent): Report[] {
  const { container, message } = event.data as { container: string; message: string };
  return [
    ...imageOf(pod, event),
    ofKubelet(pod, container, 'Created', `Created container: ${container}`),
    { ...ofKubelet(pod, container, 'Failed', `Error: ${message}`), type: 'Warning' },
  ];
}

function containersStopping(pod: KubeObject, event: RecordedEvent): Report[] {
  return (event.data.containers as string[]).map((container) => ofKubelet(pod, container, 'Killing', `Stopping container ${container}`));
}

const rejectionHead = 'Pod was rejected: ';

function rejectedByKubelet(pod: KubeObject, event: RecordedEvent): Report[] {
  const { reason, message } = event.data as { reason: string; message: string };
  const text = message.startsWith(rejectionHead) ? message.slice(rejectionHead.length) : message;
  return [{ regarding: podReference(pod), type: 'Warning', reason, message: text, component: 'kubelet', host: pod.spec?.nodeName }];
}

function disruptionTargeted(pod: KubeObject, event: RecordedEvent): Report[] {
  if (event.data.reason !== 'DeletionByTaintManager') return [];
  const { namespace, name, uid } = pod.metadata;
  const message = `Marking for deletion Pod ${namespace}/${name}`;
  const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  return [{ regarding, type: 'Normal', reason: 'TaintManagerEviction', message, component: 'taint-eviction-controller' }];
}

/** By event type: what the pod's own events are worth telling. */
export const podReports: Readonly<Record<string, (pod: KubeObject, event: RecordedEvent, cluster: ClusterState) => Report[]>> = {
  PodScheduled: scheduled,
  PodPreempted: preempted,
  ContainerStarted: containerStarted,
  ContainerStartFailed: containerStartFailed,
  ContainersStopping: containersStopping,
  PodRejectedByKubelet: rejectedByKubelet,
  PodDisruptionTargeted: disruptionTargeted,
};
