import { formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Condition } from '../conditions';
import type { FoldableEvent } from './fold-event';

/*
 * What facts of the kubelet make of a pod's status in the plain case. Where the kubelet has more to say of it (a probe that is not
 * through, a run that ended a while ago), that stands beside the fact as StatusUpdated. A fact of a version never changes its fold:
 * logs are written in it.
 */

interface Container {
  name: string;
  image?: string;
  restartPolicy?: string;
  resources?: { requests?: JsonObject; limits?: JsonObject };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean; recursiveReadOnly?: string }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  securityContext?: SecurityContext;
}

interface Probe {
  initialDelaySeconds?: number;
  successThreshold?: number;
}

interface SecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  fsGroup?: number;
  supplementalGroups?: number[];
}

interface ContainerStatus extends JsonObject {
  name: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  state: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  lastState: any;
  ready: boolean;
}

interface Status extends JsonObject {
  conditions?: Condition[];
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
}

interface Verdict {
  status: 'True' | 'False';
  reason?: string;
  message?: string;
}

type Verdicts = Partial<Record<(typeof ownConditions)[number], Verdict>>;

/** The kubelet's own, in its order; those of others stand before them. */
const ownConditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'] as const;
const ownTypes: ReadonlySet<string> = new Set(ownConditions);
const yes: Verdict = { status: 'True' };
const no: Verdict = { status: 'False' };

const lists = [
  ['initContainers', 'initContainerStatuses'],
  ['containers', 'containerStatuses'],
  ['ephemeralContainers', 'ephemeralContainerStatuses'],
] as const;

/** Changes a copy of the pod's status in place. */
type StatusFold = (status: Status, pod: KubeObject, event: FoldableEvent) => void;

/** By event type. */
export const kubeletFolds: Readonly<Record<string, (pod: KubeObject, event: FoldableEvent) => KubeObject>> = {
  PodAcceptedByKubelet: unlessApart(podAccepted),
  ContainerStarted: unlessApart(containerStarted),
  ContainerExited: unlessApart(containerExited),
  ContainersStopping: unlessApart((status, pod, event) => note(status, pod, event, {})),
  PodTerminated: unlessApart(podTerminated),
};

function unlessApart(fold: StatusFold): (pod: KubeObject, event: FoldableEvent) => KubeObject {
  return (pod, event) => {
    if (event.data.apart) return pod;
    const status = { ...pod.status } as Status;
    fold(status, pod, event);
    return { ...pod, status };
  };
}

function podAccepted(status: Status, pod: KubeObject, event: FoldableEvent): void {
  const { hostIP } = event.data;
  const init = containersOf(pod, 'initContainers');
  const main = containersOf(pod, 'containers');
  const waiting = (containers: Container[]): ContainerStatus[] => containers.map((each) => waitingStatus(each, init.length > 0));
  const unready = notReady([...init.filter(isSidecar), ...main]);
  note(status, pod, event, {
    PodReadyToStartContainers: no,
    Initialized: init.length > 0 ? incomplete(init) : yes,
    Ready: unready,
    ContainersReady: unready,
    PodScheduled: yes,
  });
  if (hostIP !== undefined) {
    status.hostIP = hostIP;
    status.hostIPs = [{ ip: hostIP }];
  }
  status.startTime ??= formatTime(event.time);
  if (init.length > 0) status.initContainerStatuses = waiting(init);
  status.containerStatuses = waiting(main);
}

function waitingStatus({ name, image = '', volumeMounts }: Container, hasInit: boolean): ContainerStatus {
  return {
    name,
    state: { waiting: { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' } },
    lastState: {},
    ready: false,
    restartCount: 0,
    image,
    imageID: '',
    started: false,
    ...(volumeMounts && volumeMounts.length > 0 ? { volumeMounts: volumeMounts.map(mountStatus) } : {}),
  };
}

function mountStatus({ name, mountPath, readOnly, recursiveReadOnly }: NonNullable<Container['volumeMounts']>[number]): JsonObject {
  return { name, mountPath, ...(readOnly ? { readOnly: true, recursiveReadOnly: recursiveReadOnly ?? 'Disabled' } : {}) };
}

function containerStarted(status: Status, pod: KubeObject, event: FoldableEvent): void {
  const { container: name, image, imageID = '', containerID, restartCount = 0, podIP } = event.data;
  changeContainer(status, pod, name, (next, container, list) => {
    const { started, ready } = startedAtOnce(container, list);
    const { requests, limits } = container.resources ?? {};
    if (next.state?.terminated) next.lastState = { terminated: next.state.terminated };
    next.state = { running: { startedAt: formatTime(event.time) } };
    next.ready = ready;
    next.restartCount = restartCount;
    next.image = resolvedName(image, imageID);
    next.imageID = imageID;
    if (containerID !== undefined) next.containerID = containerID;
    if (list !== 'ephemeralContainers') next.started = started;
    if (requests) next.allocatedResources = requests;
    const resources: JsonObject = {};
    if (limits) resources.limits = limits;
    if (requests) resources.requests = requests;
    next.resources = resources;
    next.user = { linux: userOf(container.securityContext, pod.spec?.securityContext) };
  });
  const { phase, verdicts } = derived(status, pod);
  note(status, pod, event, { ...verdicts, PodReadyToStartContainers: yes });
  status.phase = phase;
  if (podIP === undefined) return;
  status.podIP = podIP;
  status.podIPs = [{ ip: podIP }];
}

/** What the probes of a container that has just started say. */
function startedAtOnce(container: Container, list: (typeof lists)[number][0]): { started: boolean; ready: boolean } {
  if (list === 'initContainers' && !isSidecar(container)) return { started: true, ready: false };
  if (list === 'ephemeralContainers') return { started: false, ready: false };
  const started = !container.startupProbe?.initialDelaySeconds;
  const { initialDelaySeconds = 0, successThreshold = 1 } = container.readinessProbe ?? {};
  return { started, ready: started && initialDelaySeconds === 0 && successThreshold <= 1 };
}

/** The image's name in full: what the id names, with the tag that the pod names. */
function resolvedName(image: string, imageID: string): string {
  const [named = ''] = image.split('@');
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  if (colon < 0 && named !== image) return imageID;
  return `${imageID.split('@')[0]}:${colon < 0 ? 'latest' : named.slice(colon + 1)}`;
}

/** Images run as root unless the pod says otherwise. */
function userOf(own: SecurityContext | undefined, pod: SecurityContext | undefined): JsonObject {
  const gid = own?.runAsGroup ?? pod?.runAsGroup ?? 0;
  const { fsGroup, supplementalGroups = [] } = pod ?? {};
  const groups = [gid];
  for (const group of fsGroup === undefined ? supplementalGroups : [fsGroup, ...supplementalGroups])
    if (!groups.includes(group)) groups.push(group);
  return { uid: own?.runAsUser ?? pod?.runAsUser ?? 0, gid, supplementalGroups: groups };
}

function containerExited(status: Status, pod: KubeObject, event: FoldableEvent): void {
  const { container: name, exitCode, reason } = event.data;
  changeContainer(status, pod, name, (next, container, list) => {
    const startedAt = (next.state?.running?.startedAt as string | undefined) ?? null;
    const terminated: JsonObject = { exitCode, reason, startedAt, finishedAt: formatTime(event.time) };
    if (next.containerID !== undefined) terminated.containerID = next.containerID;
    next.state = { terminated };
    next.ready = list === 'initContainers' && !isSidecar(container) && exitCode === 0;
    if (list !== 'ephemeralContainers') next.started = false;
  });
  note(status, pod, event, derived(status, pod).verdicts);
}

function podTerminated(status: Status, pod: KubeObject, event: FoldableEvent): void {
  const { phase } = event.data;
  const hasSucceeded = phase === 'Succeeded';
  const over: Verdict = { status: 'False', reason: hasSucceeded ? 'PodCompleted' : 'PodFailed' };
  const verdicts: Verdicts = { PodReadyToStartContainers: no, Ready: over, ContainersReady: over };
  if (hasSucceeded) verdicts.Initialized = { status: 'True', reason: 'PodCompleted' };
  note(status, pod, event, verdicts);
  status.phase = phase;
}

/** What phase and conditions follow from the containers' statuses while the pod lives. */
function derived(status: Status, pod: KubeObject): { phase: string; verdicts: Verdicts } {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const unready: { name: string }[] = [];
  const undone: { name: string }[] = [];
  for (const container of containersOf(pod, 'initContainers')) {
    const own = initContainerStatuses.find(({ name }) => name === container.name);
    const isDone = isSidecar(container) ? own?.started === true : own?.ready === true;
    if (!isDone) undone.push(container);
    if (isSidecar(container) && own?.ready !== true) unready.push(container);
  }
  let hasBegun = false;
  let isWaiting = false;
  for (const own of containerStatuses) {
    if (!own.state?.waiting) hasBegun = true;
    else if (!own.lastState?.terminated) isWaiting = true;
    if (!own.ready) unready.push(own);
  }
  const readiness = unready.length === 0 ? yes : notReady(unready);
  const initialized = hasBegun || undone.length === 0 ? yes : incomplete(undone);
  const phase = isWaiting || !hasBegun ? 'Pending' : 'Running';
  return { phase, verdicts: { Initialized: initialized, Ready: readiness, ContainersReady: readiness } };
}

function notReady(containers: readonly { name: string }[]): Verdict {
  return { status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${namesOf(containers)}]` };
}

function incomplete(containers: readonly { name: string }[]): Verdict {
  return { status: 'False', reason: 'ContainersNotInitialized', message: `containers with incomplete status: [${namesOf(containers)}]` };
}

function namesOf(containers: readonly { name: string }[]): string {
  return containers.map(({ name }) => name).join(' ');
}

/** Sets these conditions; that the kubelet has seen the pod's generation shows in all of its own. */
function note(status: Status, pod: KubeObject, event: FoldableEvent, verdicts: Verdicts): void {
  const { generation } = pod.metadata;
  const old = status.conditions ?? [];
  const time = formatTime(event.time);
  const conditions = old.filter(({ type }) => !ownTypes.has(type));
  for (const type of ownConditions) {
    const before = old.find((condition) => condition.type === type);
    const verdict = verdicts[type] ?? before;
    if (verdict) conditions.push(conditionOf(type, verdict as Verdict, before, generation, time));
  }
  if (generation !== undefined) status.observedGeneration = generation;
  status.conditions = conditions;
}

function conditionOf(
  type: string,
  { status, reason, message }: Verdict,
  before: Condition | undefined,
  generation: number | undefined,
  time: string,
): Condition {
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time) : time;
  const condition: Condition =
    generation === undefined
      ? { type, status, lastProbeTime: null, lastTransitionTime }
      : { type, observedGeneration: generation, status, lastProbeTime: null, lastTransitionTime };
  if (reason) condition.reason = reason;
  if (message) condition.message = message;
  return condition;
}

/** Changes a copy of one container's status; nothing where there is none of that name. */
function changeContainer(
  status: Status,
  pod: KubeObject,
  name: string,
  change: (next: ContainerStatus, container: Container, list: (typeof lists)[number][0]) => void,
): void {
  for (const [list, statuses] of lists) {
    const old = status[statuses];
    const place = old?.findIndex((each) => each.name === name) ?? -1;
    const container = place < 0 ? undefined : containersOf(pod, list).find((each) => each.name === name);
    if (!old || !container) continue;
    const next = { ...(old[place] as ContainerStatus) };
    change(next, container, list);
    const changed = old.slice();
    changed[place] = next;
    status[statuses] = changed;
    return;
  }
}

function containersOf(pod: KubeObject, list: (typeof lists)[number][0]): Container[] {
  return (pod.spec?.[list] ?? []) as Container[];
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}
