import { readAppends } from '#libs/cluster-state';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { objectStream } from '#libs/events';
import { DecisionCollector } from '../verify/recorded-decisions';

export interface ObjectReference {
  resource: string;
  namespace: string | undefined;
  name: string;
}

/** Everything in the log that bears on one object, and what led to it. */
export interface Story {
  /** In log order. */
  events: RecordedEvent[];
  /** Causes of those, by id, as far up as they go. */
  causes: Map<string, RecordedEvent>;
  collector: DecisionCollector;
  /** Uids that the name has had; several when it was used again. */
  uids: string[];
  seed: string;
}

/** How far up a cause is followed. */
const causeDepthMax = 12;

/**
 * Reads the log for an object's own stream, the decisions that name it (by uid where they have one), and the causes of all
 * these. Passes over the log: one, and one for each step up that leads out of what was read already.
 */
export async function collectStory(log: EventLog, cluster: string, object: ObjectReference): Promise<Story> {
  const stream = objectStream(cluster, object.resource, object.namespace, object.name);
  const collector = new DecisionCollector();
  const uids = new Set<string>();
  const events: RecordedEvent[] = [];
  const named: RecordedEvent[] = [];
  let seed = '';
  for await (const appends of readAppends(log, cluster)) {
    for (const event of appends.flat()) {
      collector.add(event);
      if (event.type === 'ClusterCreated') seed = event.data.seed as string;
      if (event.stream === stream) {
        events.push(event);
        if (event.type === 'Created') uids.add((event.data.object as { metadata: { uid: string } }).metadata.uid);
      } else if (mayConcern(event)) named.push(event);
    }
  }
  events.push(...named.filter((event) => concerns(event, object, uids)));
  events.sort((a, b) => a.position - b.position);
  return { events, causes: await collectCauses(log, cluster, events), collector, uids: [...uids], seed };
}

/** Decision-stream events and marks on other objects that may name this one. */
function mayConcern(event: RecordedEvent): boolean {
  const { data } = event;
  return data.uid !== undefined || data.pod !== undefined || data.victims !== undefined || data.preemptorUid !== undefined;
}

function concerns({ data }: RecordedEvent, object: ObjectReference, uids: ReadonlySet<string>): boolean {
  if (typeof data.uid === 'string' && uids.has(data.uid)) return true;
  if (typeof data.preemptorUid === 'string' && uids.has(data.preemptorUid)) return true;
  if (Array.isArray(data.victims)) return (data.victims as unknown as { uid: string }[]).some((victim) => uids.has(victim.uid));
  if (data.uid !== undefined || object.resource !== 'pods') return false;
  return (data.pod ?? data.name) === object.name && data.namespace === object.namespace;
}

async function collectCauses(log: EventLog, cluster: string, events: readonly RecordedEvent[]): Promise<Map<string, RecordedEvent>> {
  const known = new Map(events.map((event) => [event.id, event]));
  const causes = new Map<string, RecordedEvent>();
  let wanted = new Set(events.map(causationOf).filter((id): id is string => id !== undefined && !known.has(id)));
  for (let depth = 0; depth < causeDepthMax && wanted.size > 0; depth++) {
    const found: RecordedEvent[] = [];
    for await (const appends of readAppends(log, cluster))
      for (const append of appends) for (const event of append) if (wanted.has(event.id)) found.push(event);
    wanted = new Set();
    for (const event of found) causes.set(event.id, event);
    for (const event of found) {
      const cause = causationOf(event);
      if (cause && !known.has(cause) && !causes.has(cause)) wanted.add(cause);
    }
  }
  return causes;
}

export function causationOf(event: RecordedEvent): string | undefined {
  return event.metadata.$causationId as string | undefined;
}
