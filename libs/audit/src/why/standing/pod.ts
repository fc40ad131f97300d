import { conditionOf, isReady, isTerminal, type ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { waitingContainers } from '../status-words';
import type { Story } from '../story';
import { listWords } from '../words';

export function podStanding(pod: KubeObject, state: ClusterState, { schedulers }: Pick<Story, 'schedulers'>): string[] {
  const { phase = 'Pending', reason, message } = (pod.status ?? {}) as { phase?: string; reason?: string; message?: string };
  const node = pod.spec?.nodeName as string | undefined;
  if (isTerminal(pod)) return [`${phase}${node ? ` on ${node}` : ''}${reason ? `: ${reason}` : ''}${message ? `: ${message}` : ''}`];
  const going = pod.metadata.deletionTimestamp
    ? [`being deleted, until ${pod.metadata.deletionTimestamp.slice(11, 19)} at the latest${finalizers(pod)}`]
    : [];
  if (node === undefined) return [`Pending: ${pendingReason(pod, state, schedulers)}`, ...going];
  const waits = waitingContainers(pod);
  if (isReady(pod)) return [`Running on ${node}, ready`, ...going];
  const silent = conditionOf(state.get('nodes', undefined, node) ?? pod, 'Ready')?.status === 'Unknown' ? [`node ${node} is silent`] : [];
  return [`${phase} on ${node}, not ready${waits.length > 0 ? `: ${waits.join('; ')}` : ''}`, ...silent, ...going];
}

function finalizers({ metadata }: KubeObject): string {
  return metadata.finalizers?.length ? `; finalizers hold it: ${metadata.finalizers.join(', ')}` : '';
}

/** Why a pod has no node. */
export function pendingReason(pod: KubeObject, state: ClusterState, schedulers: ReadonlySet<string>): string {
  const gates = ((pod.spec?.schedulingGates as { name: string }[] | undefined) ?? []).map(({ name }) => name);
  if (gates.length > 0) return `waits for its scheduling gates ${listWords(gates, 5)}`;
  const scheduler = (pod.spec?.schedulerName as string | undefined) || 'default-scheduler';
  if (!schedulers.has(scheduler)) {
    const known = [...schedulers].sort();
    return `no scheduler is called "${scheduler}"; ${known.length === 0 ? 'none has been started' : `here run ${listWords(known, 5)}`}`;
  }
  const nominated = pod.status?.nominatedNodeName as string | undefined;
  if (nominated) {
    const going = [...state.indices.podsOnNode(nominated).values()]
      .filter(({ metadata }) => metadata.deletionTimestamp)
      .map(({ metadata }) => metadata.name);
    return `room is being made on ${nominated}${going.length > 0 ? `, until ${listWords(going, 3)} ${going.length === 1 ? 'is' : 'are'} gone` : ''}`;
  }
  const message = conditionOf(pod, 'PodScheduled')?.message;
  return message === undefined ? 'the scheduler has not tried it yet' : firstSentence(message);
}

/** Of `0/3 nodes are available: 3 Insufficient cpu. preemption: …` the part on the nodes. */
function firstSentence(message: string): string {
  const end = message.search(/\. (preemption:|no new claims)/);
  return end < 0 ? message.replace(/\.$/, '') : message.slice(0, end);
}
