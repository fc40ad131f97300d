// What no pod's status may ever say, whatever happens around it: judged by two statuses that follow one another, as somebody who watches sees them.
import { parseTime, type JsonObject, type KubeObject } from '#libs/kernel';

interface Terminated {
  exitCode: number;
  reason?: string;
  startedAt: string | null;
  finishedAt: string | null;
  containerID?: string;
}

interface ContainerStatus {
  name: string;
  state: { waiting?: { reason?: string }; running?: { startedAt: string }; terminated?: Terminated };
  lastState: { terminated?: Terminated };
  ready: boolean;
  started?: boolean;
  restartCount: number;
  containerID?: string;
}

interface Container {
  name: string;
  restartPolicy?: string;
}

type Role = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** From the end of a run to the second restart and those after it, ms: shorter by what seconds without fractions hide. */
const backOffMsMin = 9_000;
/** A run that lasted longer begins the series anew. */
const longRunMs = 600_000;

/**
 * @param kubeletStartedAt when the kubelet of its node was last started, ms: what it knew of waits it has forgotten
 * @returns each breach in words.
 */
export function brokenByPod(before: KubeObject | undefined, after: KubeObject, kubeletStartedAt = Number.NEGATIVE_INFINITY): string[] {
  const breaches = [...phaseBreaches(before, after), ...conditionBreaches(after), ...orderBreaches(after)];
  for (const [role, container, status] of containersOf(after)) {
    const was = before && containersOf(before).find(([, { name }]) => name === container.name)?.[2];
    const found = [
      ...stateBreaches(role, status),
      ...(was ? movementBreaches(role, was, status) : []),
      ...restartBreaches(after, role, was, status, kubeletStartedAt),
    ];
    breaches.push(...found.map((text) => `container ${container.name}: ${text}`));
  }
  return breaches.map((text) => `pod ${after.metadata.name}: ${text}`);
}

/** Of a pod that its own kubelet has removed from the API: nothing of it may run any more. */
export function brokenByRemoval(pod: KubeObject): string[] {
  return containersOf(pod)
    .filter(([, , { state }]) => state.running)
    .map(([, { name }]) => `pod ${pod.metadata.name}: container ${name}: runs, and the kubelet has removed the pod`);
}

const laterPhases: Readonly<Record<string, readonly string[]>> = {
  Pending: ['Pending', 'Running', 'Succeeded', 'Failed'],
  Running: ['Running', 'Succeeded', 'Failed'],
  Succeeded: ['Succeeded'],
  Failed: ['Failed'],
};

function phaseBreaches(before: KubeObject | undefined, { spec, status }: KubeObject): string[] {
  const [was, is] = [before?.status?.phase, status?.phase] as (string | undefined)[];
  // In another sandbox the init containers begin anew.
  if (was === 'Running' && is === 'Pending' && (spec?.initContainers as unknown[] | undefined)?.length) return [];
  if (was !== undefined && is !== undefined && !laterPhases[was]?.includes(is)) return [`was ${was} and is ${is}`];
  return [];
}

function conditionBreaches(pod: KubeObject): string[] {
  const isTrue = (type: string): boolean =>
    ((pod.status?.conditions ?? []) as JsonObject[]).some((condition) => condition.type === type && condition.status === 'True');
  const main = containersOf(pod).filter(([role]) => role === 'main' || role === 'sidecar');
  const unready = main.filter(([, , { ready }]) => !ready).map(([, { name }]) => name);
  const breaches: string[] = [];
  if (isTrue('Ready') && !isTrue('ContainersReady')) breaches.push('is Ready, and its containers are not');
  if (isTrue('ContainersReady') && unready.length > 0) breaches.push(`has ContainersReady, and ${unready.join(', ')} are not`);
  if (pod.status?.phase === 'Running' && !pod.spec?.nodeName) breaches.push('runs on no node');
  const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  const running = containersOf(pod).filter(([, , { state }]) => state.running);
  if (isOver && running.length > 0)
    breaches.push(`is ${String(pod.status?.phase)}, and ${running.map(([, { name }]) => name).join(', ')} run`);
  return breaches;
}

/** Init containers come one after the other, and the others after them; in another sandbox all of them once more. */
function orderBreaches(pod: KubeObject): string[] {
  const breaches: string[] = [];
  let unfinished: ContainerStatus | undefined;
  for (const [role, { name }, status] of containersOf(pod)) {
    if (role === 'ephemeral') continue;
    const { state, lastState, started } = status;
    const hasRun = state.running !== undefined || ranOnce(state.terminated) || ranOnce(lastState.terminated);
    const isInTurn = unfinished !== undefined && unfinished.restartCount > 0 ? !state.running : !hasRun;
    if (unfinished && !isInTurn) breaches.push(`${name} has run, and ${unfinished.name} before it has not done its part`);
    if (role === 'init' && state.terminated?.exitCode !== 0) unfinished ??= status;
    if (role === 'sidecar' && !hasRun && !started) unfinished ??= status;
  }
  return breaches;
}

function ranOnce(terminated: Terminated | undefined): boolean {
  return Boolean(terminated?.startedAt);
}

function stateBreaches(role: Role, { state, ready, restartCount, lastState }: ContainerStatus): string[] {
  const breaches: string[] = [];
  const states = Object.keys(state);
  if (states.length !== 1) breaches.push(`is in ${states.length === 0 ? 'no state' : states.join(' and ')}`);
  if (ready && !state.running && state.terminated?.exitCode !== 0) breaches.push('is ready without running');
  // What init containers and sidecars did in a sandbox that is gone is forgotten.
  if (role === 'main' && restartCount > 0 && !lastState.terminated && !state.terminated)
    breaches.push(`has restarted ${restartCount} times from nothing`);
  for (const end of [state.terminated, lastState.terminated])
    if (end?.startedAt && end.finishedAt && timeOf(end.startedAt) > timeOf(end.finishedAt)) breaches.push('ended before it began');
  return breaches;
}

function movementBreaches(role: Role, was: ContainerStatus, is: ContainerStatus): string[] {
  const breaches: string[] = [];
  const restarts = is.restartCount - was.restartCount;
  if (restarts < 0) breaches.push(`its restarts fell from ${was.restartCount} to ${is.restartCount}`);
  const ran = was.state.running;
  if (ran && is.state.running && restarts === 0 && !sameRun(was, is)) breaches.push('began anew without a restart');
  // Whatever a run is followed by says how it ended.
  if (ran && !is.state.running) {
    const end = is.state.terminated ?? is.lastState.terminated;
    if (!end) breaches.push('ran, and nothing says how that ended');
    else if (restarts === 0 && end.startedAt && end.startedAt !== ran.startedAt)
      breaches.push(`the run from ${ran.startedAt} ended as one from ${end.startedAt}`);
  }
  const over = was.state.terminated;
  if (over && is.state.running && restarts === 0) breaches.push('runs on after its end');
  if (over && role === 'main' && is.state.running && restarts === 1 && !sameEnd(over, is.lastState.terminated))
    breaches.push('forgot how its last run ended');
  if (over && is.state.terminated && restarts === 0 && !sameEnd(over, is.state.terminated) && !isLost(over, is))
    breaches.push('ended twice');
  return breaches;
}

/** It waited to be restarted when its pod ended for good: a kubelet tells of such a container as of one that it cannot find. */
function isLost(over: Terminated, { state, lastState }: ContainerStatus): boolean {
  return state.terminated?.reason === 'ContainerStatusUnknown' && sameEnd(over, lastState.terminated);
}

function sameRun(was: ContainerStatus, is: ContainerStatus): boolean {
  return was.state.running?.startedAt === is.state.running?.startedAt && was.containerID === is.containerID;
}

function sameEnd(one: Terminated, other: Terminated | undefined): boolean {
  return one.exitCode === other?.exitCode && one.finishedAt === other.finishedAt && one.containerID === other.containerID;
}

function restartBreaches(
  pod: KubeObject,
  role: Role,
  was: ContainerStatus | undefined,
  is: ContainerStatus,
  kubeletStartedAt: number,
): string[] {
  const breaches: string[] = [];
  const policy = (pod.spec?.restartPolicy ?? 'Always') as string;
  const hasRestarted = was !== undefined && is.restartCount > was.restartCount;
  if (role === 'ephemeral' && is.restartCount > 0) breaches.push('is ephemeral, and restarted');
  if (!hasRestarted) return breaches;
  if (role !== 'sidecar' && policy === 'Never') breaches.push('restarted against Never');
  const last = is.lastState.terminated;
  const mayBeKilled = isWatched(pod, is.name);
  // One that the kubelet itself has ended, for its liveness say, starts anew whatever it ended with.
  if (role === 'main' && policy === 'OnFailure' && last?.exitCode === 0 && !was.state.running && !mayBeKilled)
    breaches.push('restarted after it had done its work');
  if (
    role !== 'sidecar' &&
    pod.metadata.deletionTimestamp &&
    is.state.running &&
    timeOf(is.state.running.startedAt) > deletedAt(pod) + startsTakeMs(pod)
  )
    breaches.push('restarted after the deletion had been asked for');
  // A kubelet may end these itself: the first such restart is not counted, and others wait from the end of the run before.
  if (role !== 'ephemeral' && is.restartCount >= (mayBeKilled ? 3 : 2) && is.state.running && last?.startedAt && last.finishedAt) {
    const since = ((mayBeKilled || was.state.running) && was.lastState.terminated?.finishedAt) || last.finishedAt;
    const waited = timeOf(is.state.running.startedAt) - timeOf(since);
    const ran = timeOf(last.finishedAt) - timeOf(last.startedAt);
    const counted = (mayBeKilled && was.lastState.terminated?.startedAt) || last.startedAt;
    const isForgotten = timeOf(counted) <= kubeletStartedAt;
    if (!isForgotten && ran < longRunMs && waited < backOffMsMin)
      breaches.push(`restarted for the ${is.restartCount}th time after ${waited} ms`);
  }
  return breaches;
}

/** Its probes or a hook may fail. */
function isWatched({ spec }: KubeObject, name: string): boolean {
  const containers = [...((spec?.initContainers ?? []) as JsonObject[]), ...((spec?.containers ?? []) as JsonObject[])];
  const container = containers.find((each) => each.name === name);
  const lifecycle = container?.lifecycle as JsonObject | undefined;
  return Boolean(container?.livenessProbe ?? container?.startupProbe ?? lifecycle?.postStart);
}

/** When the deletion was asked for: the grace runs from then. */
function deletedAt({ metadata }: KubeObject): number {
  return timeOf(metadata.deletionTimestamp as string) - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1_000 + 1_000;
}

/**
 * How long a sync may go on that the request finds under way: a kubelet gives up neither a pull nor a slow start nor a postStart hook. More than
 * all of those that random pods have.
 */
function startsTakeMs({ metadata }: KubeObject): number {
  const isSlow = Object.entries(metadata.annotations ?? {}).some(([, text]) => /\b(?:4s|takes 2s|takes 8s)$/.test(text));
  return isSlow ? 40_000 : 0;
}

function timeOf(text: string): number {
  return parseTime(text) ?? Number.NaN;
}

const lists = [
  ['initContainers', 'initContainerStatuses'],
  ['containers', 'containerStatuses'],
  ['ephemeralContainers', 'ephemeralContainerStatuses'],
] as const;

/** All containers that have a status, in the order of their starts. */
function containersOf({ spec, status }: KubeObject): (readonly [Role, Container, ContainerStatus])[] {
  return lists.flatMap(([containers, statuses]) =>
    ((spec?.[containers] ?? []) as unknown as Container[]).flatMap((container) => {
      const own = ((status?.[statuses] ?? []) as unknown as ContainerStatus[]).find(({ name }) => name === container.name);
      return own ? [[roleOf(containers, container), container, own] as const] : [];
    }),
  );
}

function roleOf(list: (typeof lists)[number][0], { restartPolicy }: Container): Role {
  if (list === 'containers') return 'main';
  if (list === 'ephemeralContainers') return 'ephemeral';
  return restartPolicy === 'Always' ? 'sidecar' : 'init';
}
