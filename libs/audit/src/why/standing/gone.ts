import type { RecordedEvent } from '#libs/event-log';
import type { Story } from '../story';
import { agentWords, clockWords, throughWords } from '../words';

/** When the object went, and on whose account. */
export function goneStanding({ events }: Story): string[] {
  const last = events.findLast(({ type }) => type === 'Deleted');
  if (!last) return [];
  const own = events.filter(({ stream }) => stream === last.stream);
  const life = own.slice(own.findLastIndex(({ type, position }) => type === 'Created' && position < last.position) + 1);
  return [`gone since ${clockWords(timeOf(last))}${account(life, events)}`, ...remedies(life, events)];
}

function account(life: readonly RecordedEvent[], all: readonly RecordedEvent[]): string {
  const preempted = life.find(({ type }) => type === 'PodPreempted');
  if (preempted) {
    const priority = preemptorPriority(preempted, all);
    return `: preempted by ${preempted.data.preemptor as string}${priority === undefined ? '' : ` (${priority})`}`;
  }
  const targeted = life.find(({ type }) => type === 'PodDisruptionTargeted');
  if (targeted?.data.reason === 'EvictionByEvictionAPI') return `: evicted by ${actorOf(targeted)}`;
  if (targeted) return `: ${targeted.data.reason as string}: ${targeted.data.message as string}`;
  const requested = life.find(({ type }) => type === 'DeletionRequested');
  return requested ? `: deleted by ${actorOf(requested)}` : '';
}

/** What would have spared a pod its preemption. No budget is among it: preemption goes against one where it finds no other way. */
function remedies(life: readonly RecordedEvent[], all: readonly RecordedEvent[]): string[] {
  const preempted = life.find(({ type }) => type === 'PodPreempted');
  const priority = preempted && preemptorPriority(preempted, all);
  if (priority === undefined) return [];
  const preemptor = preempted?.data.preemptor as string;
  return [`would have kept it: a priority of ${priority} or more, preemptionPolicy Never for ${preemptor}, or room for that pod elsewhere`];
}

function preemptorPriority({ data }: RecordedEvent, all: readonly RecordedEvent[]): number | undefined {
  const decided = all.find((event) => event.type === 'PreemptionDecided' && event.data.act === data.act);
  return decided?.data.priority as number | undefined;
}

/** `admin`, `admin (kubectl drain)`, `jane (by admin, kubectl drain)`, `deployment-controller`. */
export function actorOf({ metadata }: RecordedEvent): string {
  const words = throughWords(metadata.impersonator, agentWords(metadata.agent));
  return `${(metadata.actor as string).replace(/^user:/, '')}${words === undefined ? '' : ` (${words})`}`;
}

export function timeOf({ metadata }: RecordedEvent): number {
  return metadata.time as number;
}
