import { readAppends } from '#libs/cluster-state';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { objectStream } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { Tapes } from '../replay/tapes';
import { Findings } from '../verify/finding';
import { DecisionCollector } from './recorded-decisions';

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
  /** When each controller was asked. */
  tapes: Tapes;
  /** Uids that the name has had; several when it was used again. */
  uids: string[];
  /** Those, and the uids of all that it has come to own, directly or not. */
  family: ReadonlySet<string>;
  /** Names that schedulers have been started for. */
  schedulers: ReadonlySet<string>;
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
  const tapes = new Tapes(new Findings());
  const uids = new Set<string>();
  const family = new Family(object.resource === 'pods');
  const schedulers = new Set<string>();
  const events: RecordedEvent[] = [];
  const named: RecordedEvent[] = [];
  let seed = '';
  for await (const appends of readAppends(log, cluster)) {
    for (const event of appends.flat()) {
      collector.add(event);
      tapes.add(event);
      if (event.type === 'ClusterCreated') seed = event.data.seed as string;
      else if (event.type === 'ControllerStarted') for (const name of schedulersOf(event)) schedulers.add(name);
      if (event.stream === stream) {
        events.push(event);
        if (event.type === 'Created') uids.add(family.begin(event));
      } else if (family.has(event)) events.push(event);
      else if (mayConcern(event)) named.push(event);
    }
  }
  events.push(...named.filter((event) => concerns(event, object, uids)));
  events.sort((a, b) => a.position - b.position);
  const causes = await collectCauses(log, cluster, events);
  return { events, causes, collector, tapes, uids: [...uids], family: family.uids, schedulers, seed };
}

/** What happens to an owned object that its owner's story tells; its coming and going are told by the owner's reports. */
const familyTypes = new Set(['PodPreempted', 'PodDisruptionTargeted', 'PodRejectedByKubelet']);

/** The objects that have come to be owned by the one asked about, directly or not. */
class Family {
  readonly uids = new Set<string>();
  private readonly streams = new Set<string>();

  /** @param isChildless pods own nothing that is worth telling */
  constructor(private readonly isChildless: boolean) {}

  /** The object asked about has come to be. Gives its uid. */
  begin(created: RecordedEvent): string {
    const { uid } = (created.data.object as unknown as KubeObject).metadata;
    this.uids.add(uid);
    return uid;
  }

  /** Takes note of who is born into the family. Whether the event is for its story. */
  has(event: RecordedEvent): boolean {
    if (this.isChildless || this.uids.size === 0) return false;
    if (event.type === 'Created') {
      const { ownerReferences = [], uid } = (event.data.object as unknown as KubeObject).metadata;
      if (!ownerReferences.some((owner) => this.uids.has(owner.uid))) return false;
      this.uids.add(uid);
      this.streams.add(event.stream);
      return false;
    }
    return familyTypes.has(event.type) && this.streams.has(event.stream);
  }
}

/** Names of schedulers that a controller's start brings; none where it is none. */
function schedulersOf({ data }: RecordedEvent): string[] {
  const { controller, config } = data as unknown as {
    controller: string;
    config?: { kubeSchedulerConfiguration?: { profiles?: Profile[] } };
  };
  if (controller !== 'scheduler' && !controller.startsWith('scheduler-')) return [];
  const profiles = config?.kubeSchedulerConfiguration?.profiles ?? [{}];
  return profiles.map(({ schedulerName }) => schedulerName ?? 'default-scheduler');
}

interface Profile {
  schedulerName?: string;
}

/** Decision-stream events and marks on other objects that may name this one. */
function mayConcern(event: RecordedEvent): boolean {
  const { data } = event;
  return (
    data.uid !== undefined ||
    data.pod !== undefined ||
    data.victims !== undefined ||
    data.preemptorUid !== undefined ||
    data.node !== undefined
  );
}

/** Events that bear on the node they name. */
const nodeTypes = new Set(['PodPreempted', 'PodRejectedByKubelet', 'NodeHeartbeatStopped', 'NodeHeartbeatResumed']);

function concerns({ type, data }: RecordedEvent, object: ObjectReference, uids: ReadonlySet<string>): boolean {
  if (object.resource === 'nodes' && data.node === object.name && nodeTypes.has(type)) return true;
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
