import type { ClusterState } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import type { Story } from '../story';
import { agentWords, clockWords } from '../words';

/** When the object went, and on whose account. */
export function goneStanding({ events }: Story, _state: ClusterState): string[] {
  const last = events.findLast(({ type }) => type === 'Deleted');
  if (!last) return [];
  const own = events.filter(({ stream }) => stream === last.stream);
  const life = own.slice(own.findLastIndex(({ type, position }) => type === 'Created' && position < last.position) + 1);
  return [`gone since ${clockWords(timeOf(last))}${account(life)}`];
}

function account(life: readonly RecordedEvent[]): string {
  const preempted = life.find(({ type }) => type === 'PodPreempted');
  if (preempted) return `: preempted by ${preempted.data.preemptor as string}`;
  const targeted = life.find(({ type }) => type === 'PodDisruptionTargeted');
  if (targeted?.data.reason === 'EvictionByEvictionAPI') return `: evicted by ${actorOf(targeted)}`;
  if (targeted) return `: ${targeted.data.reason as string}: ${targeted.data.message as string}`;
  const requested = life.find(({ type }) => type === 'DeletionRequested');
  return requested ? `: deleted by ${actorOf(requested)}` : '';
}

/** `admin`, `admin (kubectl drain)`, `deployment-controller`. */
export function actorOf({ metadata }: RecordedEvent): string {
  const agent = agentWords(metadata.agent);
  return `${(metadata.actor as string).replace(/^user:/, '')}${agent === undefined ? '' : ` (${agent})`}`;
}

export function timeOf({ metadata }: RecordedEvent): number {
  return metadata.time as number;
}
