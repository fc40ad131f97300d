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

type FactFold = (pod: KubeObject, event: FoldableEvent) => KubeObject;

/** By event type. */
export const kubeletFolds: Readonly<Record<string, FactFold>> = {
  PodAcceptedByKubelet: unlessApart(podAccepted),
  ContainerStarted: unlessApart(containerStarted),
  ContainerExited: unlessApart(containerExited),
  ContainersStopping: unlessApart((pod, event) => noted(pod, event, {})),
  PodTerminated: unlessApart(podTerminated),
};

function unlessApart(fold: FactFold): FactFold {
  return (pod, event) => (event.data.apart ? pod : fold(pod, event));
}

function podAccepted(pod: KubeObject, event: FoldableEvent): KubeObject {
  const { hostIP } = event.data;
  const init = containersOf(pod, 'initContainers');
  const main = containersOf(pod, 'containers');
  const waiting = (containers: Container[]): JsonObject[] => containers.map((each) => waitingStatus(each, init.length > 0));
  const unready = notReady([...init.filter(isSidecar), ...main]);
  const accepted = noted(pod, event, {
    PodReadyToStartContainers: no,
    Initialized: init.length > 0 ? incomplete(init) : yes,
    Ready: unready,
    ContainersReady: unready,
    PodScheduled: yes,
  });
  const status = {
    ...accepted.status,
    ...(hostIP === undefined ? {} : { hostIP, hostIPs: [{ ip: hostIP }] }),
    startTime: pod.status?.startTime ?? formatTime(event.time),
    ...(init.length > 0 ? { initContainerStatuses: waiting(init) } : {}),
    containerStatuses: waiting(main),
  };
  return { ...pod, status };
}

function waitingStatus({ name, image = '', volumeMounts }: Container, hasInit: boolean): JsonObject {
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

function containerStarted(pod: KubeObject, event: FoldableEvent): KubeObject {
  const { container: name, imageID = '', containerID, restartCount = 0, podIP } = event.data;
  const running = withContainer(pod, name, (old, container, list) => {
    const { started, ready } = startedAtOnce(container, list);
    const { requests, limits } = container.resources ?? {};
    return {
      ...old,
      state: { running: { startedAt: formatTime(event.time) } },
      lastState: old.state?.terminated ? { terminated: old.state.terminated } : old.lastState,
      ready,
      restartCount,
      image: resolvedName(event.data.image, imageID),
      imageID,
      ...(containerID === undefined ? {} : { containerID }),
      ...(list === 'ephemeralContainers' ? {} : { started }),
      ...(requests ? { allocatedResources: requests } : {}),
      resources: { ...(limits ? { limits } : {}), ...(requests ? { requests } : {}) },
      user: { linux: userOf(container.securityContext, pod.spec?.securityContext) },
    };
  });
  const { phase, verdicts } = derived(running);
  const settled = noted(running, event, { ...verdicts, PodReadyToStartContainers: yes });
  const address = podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] };
  return { ...settled, status: { ...settled.status, phase, ...address } };
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
  const groups = [gid, ...(pod?.fsGroup === undefined ? [] : [pod.fsGroup]), ...(pod?.supplementalGroups ?? [])];
  return { uid: own?.runAsUser ?? pod?.runAsUser ?? 0, gid, supplementalGroups: [...new Set(groups)] };
}

function containerExited(pod: KubeObject, event: FoldableEvent): KubeObject {
  const { container: name, exitCode, reason } = event.data;
  const exited = withContainer(pod, name, (old, container, list) => ({
    ...old,
    state: {
      terminated: {
        exitCode,
        reason,
        startedAt: old.state?.running?.startedAt ?? null,
        finishedAt: formatTime(event.time),
        ...(old.containerID === undefined ? {} : { containerID: old.containerID }),
      },
    },
    ready: list === 'initContainers' && !isSidecar(container) && exitCode === 0,
    ...(list === 'ephemeralContainers' ? {} : { started: false }),
  }));
  return noted(exited, event, derived(exited).verdicts);
}

function podTerminated(pod: KubeObject, event: FoldableEvent): KubeObject {
  const { phase } = event.data;
  const hasSucceeded = phase === 'Succeeded';
  const over: Verdict = { status: 'False', reason: hasSucceeded ? 'PodCompleted' : 'PodFailed' };
  const verdicts: Verdicts = { PodReadyToStartContainers: no, Ready: over, ContainersReady: over };
  if (hasSucceeded) verdicts.Initialized = { status: 'True', reason: 'PodCompleted' };
  const ended = noted(pod, event, verdicts);
  return { ...ended, status: { ...ended.status, phase } };
}

/** What phase and conditions follow from the containers' statuses while the pod lives. */
function derived(pod: KubeObject): { phase: string; verdicts: Verdicts } {
  const init = containersOf(pod, 'initContainers');
  const initStatuses = (pod.status?.initContainerStatuses ?? []) as ContainerStatus[];
  const mainStatuses = (pod.status?.containerStatuses ?? []) as ContainerStatus[];
  const statusOf = (container: Container): ContainerStatus | undefined => initStatuses.find(({ name }) => name === container.name);
  const isReady = (container: Container): boolean => statusOf(container)?.ready === true;
  const hasBegun = mainStatuses.some(({ state }) => !state?.waiting);
  const undone = init.filter((each) => (isSidecar(each) ? statusOf(each)?.started !== true : !isReady(each)));
  const unready = [...init.filter((each) => isSidecar(each) && !isReady(each)), ...mainStatuses.filter(({ ready }) => !ready)];
  const readiness = unready.length === 0 ? yes : notReady(unready);
  const isWaiting = mainStatuses.some(({ state, lastState }) => state?.waiting && !lastState?.terminated);
  return {
    phase: isWaiting || !hasBegun ? 'Pending' : 'Running',
    verdicts: {
      Initialized: hasBegun || undone.length === 0 ? yes : incomplete(undone),
      Ready: readiness,
      ContainersReady: readiness,
    },
  };
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

/** The pod with these conditions; that the kubelet has seen its generation shows in all of its own. */
function noted(pod: KubeObject, event: FoldableEvent, verdicts: Verdicts): KubeObject {
  const { generation } = pod.metadata;
  const old = (pod.status?.conditions ?? []) as Condition[];
  const time = formatTime(event.time);
  const conditions = old.filter(({ type }) => !ownTypes.has(type));
  for (const type of ownConditions) {
    const before = old.find((condition) => condition.type === type);
    const verdict = verdicts[type] ?? before;
    if (!verdict) continue;
    const { status, reason, message } = verdict;
    conditions.push({
      type,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status,
      lastProbeTime: null,
      lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? time) : time,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
    });
  }
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  return { ...pod, status: { ...pod.status, ...seen, conditions } };
}

/** The pod with one of its container statuses changed; as it is where there is none of that name. */
function withContainer(
  pod: KubeObject,
  name: string,
  change: (old: ContainerStatus, container: Container, list: (typeof lists)[number][0]) => JsonObject,
): KubeObject {
  for (const [list, statuses] of lists) {
    const container = containersOf(pod, list).find((each) => each.name === name);
    const old = (pod.status?.[statuses] ?? []) as ContainerStatus[];
    const place = old.findIndex((status) => status.name === name);
    if (!container || place < 0) continue;
    const changed = old.slice();
    changed[place] = change(old[place] as ContainerStatus, container, list) as ContainerStatus;
    return { ...pod, status: { ...pod.status, [statuses]: changed } };
  }
  return pod;
}

function containersOf(pod: KubeObject, list: (typeof lists)[number][0]): Container[] {
  return (pod.spec?.[list] ?? []) as Container[];
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}
