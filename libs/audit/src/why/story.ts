import { nodePressureTypes, nodeRecordTypes, readAppends, readAppendsBackwards } from '#libs/cluster-state';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { objectStream, type Basis } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { Tapes } from '../replay/tapes';
import { Findings } from '../verify/finding';

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
  /** The decisions that its events came of, by the event's position. */
  decisions: ReadonlyMap<number, string>;
  /** When each controller was asked; empty where the story is not of a pod, whose attempts are made again. */
  tapes: Tapes;
  /** Uids that the name has had; several when it was used again. */
  uids: string[];
  /** Preemptions of pods that it owns. */
  lost: RecordedEvent[];
  /** Preemptions by it, or by pods that it owns. */
  preempted: RecordedEvent[];
  /** Names that schedulers have been started for. */
  schedulers: ReadonlySet<string>;
  seed: string;
}

/** How far up a cause is followed. */
const causeDepthMax = 12;

/**
 * Reads the log for an object's own stream, the decisions that name it (by uid where they have one), and the causes of all these: once
 * forwards, and backwards as far as causes lead. Only what belongs to the story is kept.
 */
export async function collectStory(log: EventLog, cluster: string, object: ObjectReference): Promise<Story> {
  const stream = objectStream(cluster, object.resource, object.namespace, object.name);
  const decisions = new Map<number, string>();
  const tapes = new Tapes(new Findings());
  const uids = new Set<string>();
  const family = new Family(object.resource === 'pods');
  const schedulers = new Set<string>();
  /** Questions that a reviewer of pods was asked about it. */
  const asked = new Set<string>();
  const events: RecordedEvent[] = [];
  const lost: RecordedEvent[] = [];
  const preempted: RecordedEvent[] = [];
  let seed = '';
  const isOfStory = (event: RecordedEvent): boolean => {
    if (event.stream === stream) {
      if (event.type === 'Created') uids.add(family.begin(event));
      return true;
    }
    if (event.type === 'PodAdmissionRequested' && isNamed(event, object)) asked.add(event.id);
    if (event.type === 'PodRejected') return asked.has(event.data.review as string);
    const isOfFamily = family.has(event);
    if (event.type === 'PodPreempted') {
      if (isOfFamily) lost.push(event);
      if (family.uids.has(event.data.preemptorUid as string)) preempted.push(event);
      else if (!isOfFamily) return concerns(event, object, uids);
      return true;
    }
    return isOfFamily || concerns(event, object, uids);
  };
  for await (const appends of readAppends(log, cluster)) {
    for (const append of appends) {
      const decision = (append[0]?.metadata.basis as Basis | undefined)?.decision;
      for (const event of append) {
        if (object.resource === 'pods') tapes.add(event);
        if (event.type === 'ClusterCreated') seed = event.data.seed as string;
        else if (event.type === 'ControllerStarted') for (const name of schedulersOf(event)) schedulers.add(name);
        if (!isOfStory(event)) continue;
        events.push(event);
        if (decision !== undefined) decisions.set(event.position, decision);
      }
    }
  }
  const causes = await collectCauses(log, cluster, events);
  return { events, causes, decisions, tapes, uids: [...uids], lost, preempted, schedulers, seed };
}

function isNamed({ data }: RecordedEvent, { resource, namespace, name }: ObjectReference): boolean {
  return resource === 'pods' && data.namespace === namespace && data.name === name;
}

/** Whether somebody wanted the object and was refused. */
export function wasRefused({ events }: Story): boolean {
  return events.some(({ type }) => type === 'QuotaRefused' || type === 'PodRejected');
}

/** What happens to an owned object that its owner's story tells; its coming and going are told by the owner's reports. */
const familyTypes = new Set(['PodPreempted', 'PodDisruptionTargeted', 'PodRejectedByKubelet']);

/** The objects that have come to be owned by the one asked about, directly or not. */
class Family {
  /** Its own, and those of all that it has come to own. */
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

/** Events that bear on the node they name. */
const nodeTypes = new Set(['PodPreempted', 'PodRejectedByKubelet', ...nodeRecordTypes, ...nodePressureTypes]);

/** Whether an event of another stream names the object: by a uid that it has had, else by its name. */
function concerns({ type, data }: RecordedEvent, object: ObjectReference, uids: ReadonlySet<string>): boolean {
  if (object.resource === 'nodes' && data.node === object.name && nodeTypes.has(type)) return true;
  if (typeof data.uid === 'string' && uids.has(data.uid)) return true;
  if (Array.isArray(data.victims)) return (data.victims as unknown as { uid: string }[]).some((victim) => uids.has(victim.uid));
  if (type === 'QuotaRequested' || type === 'QuotaGranted' || type === 'QuotaRefused')
    return data.resource === object.resource && data.namespace === object.namespace && data.name === object.name;
  if (data.uid !== undefined || object.resource !== 'pods') return false;
  return data.pod === object.name && data.namespace === object.namespace;
}

/** A cause stands before what it led to, so one reading backwards finds them all, and ends with the first. */
async function collectCauses(log: EventLog, cluster: string, events: readonly RecordedEvent[]): Promise<Map<string, RecordedEvent>> {
  const known = new Set(events.map(({ id }) => id));
  const causes = new Map<string, RecordedEvent>();
  /** How far up each is that has not been found yet, by id. */
  const wanted = new Map<string, number>();
  const want = (event: RecordedEvent, depth: number): void => {
    const cause = causationOf(event);
    if (cause !== undefined && depth <= causeDepthMax && !known.has(cause) && !wanted.has(cause)) wanted.set(cause, depth);
  };
  for (const event of events) want(event, 1);
  if (wanted.size === 0) return causes;
  for await (const appends of readAppendsBackwards(log, cluster)) {
    for (const append of appends) {
      for (const event of append.toReversed()) {
        const depth = wanted.get(event.id);
        if (depth === undefined) continue;
        wanted.delete(event.id);
        known.add(event.id);
        causes.set(event.id, event);
        want(event, depth + 1);
      }
    }
    if (wanted.size === 0) break;
  }
  return causes;
}

export function causationOf(event: RecordedEvent): string | undefined {
  return event.metadata.$causationId as string | undefined;
}
