import { conditionOf, isTerminal } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';

interface Container {
  name: string;
  state?: { waiting?: { reason?: string; message?: string } };
}

/** Reasons that every container goes through on its way. */
const passing = new Set(['ContainerCreating', 'PodInitializing']);

/** What a change of status means to a reader; undefined where its facts are told by other events, or it means nothing. */
export function statusWords(resource: string, before: KubeObject, after: KubeObject): string | undefined {
  if (resource === 'pods') return podWords(before, after);
  if (resource === 'nodes') return turned(before, after, 'Ready', 'Ready', 'NotReady');
  if (resource.endsWith('.apps')) return workloadWords(before, after);
  return undefined;
}

function podWords(before: KubeObject, after: KubeObject): string | undefined {
  const waits = waitingContainers(after).filter((text) => !waitingContainers(before).includes(text));
  if (waits.length > 0) return waits.join('; ');
  const [was, is] = [conditionOf(before, 'Ready'), conditionOf(after, 'Ready')];
  if (was?.status === 'True' && is?.status === 'False' && !isTerminal(after))
    return `not ready any more${is.reason ? ` (${is.reason})` : ''}`;
  return undefined;
}

/** `container app waits: CrashLoopBackOff: back-off 10s …`. */
export function waitingContainers(pod: KubeObject): string[] {
  const statuses = (pod.status?.containerStatuses ?? []) as Container[];
  return statuses.flatMap(({ name, state }) => {
    const { reason, message } = state?.waiting ?? {};
    if (reason === undefined || passing.has(reason)) return [];
    return [`container ${name} waits: ${reason}${message ? `: ${message}` : ''}`];
  });
}

function workloadWords(before: KubeObject, after: KubeObject): string | undefined {
  const stuck = turned(before, after, 'Progressing', 'progresses', 'does not progress');
  const failing = turned(before, after, 'ReplicaFailure', 'cannot create its pods', 'can create its pods again');
  const [was, is] = [before, after].map(({ status }) => (status?.readyReplicas as number | undefined) ?? 0);
  const wanted = (after.spec?.replicas as number | undefined) ?? 1;
  const ready = was === is ? undefined : `${is} of ${wanted} ready (was ${was})`;
  return [ready, stuck?.startsWith('progresses') ? undefined : stuck, failing].filter((text) => text !== undefined).join('; ') || undefined;
}

/** A condition that has another status now, with its reason and message. */
function turned(before: KubeObject, after: KubeObject, type: string, whenTrue: string, otherwise: string): string | undefined {
  const [was, is] = [conditionOf(before, type), conditionOf(after, type)];
  if (!is || was?.status === is.status) return undefined;
  const words = is.status === 'True' ? whenTrue : otherwise;
  return `${words}${is.message ? `: ${is.message}` : is.reason ? `: ${is.reason}` : ''}`;
}
