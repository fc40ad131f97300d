import type { RecordedEvent } from '#libs/event-log';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { isStaticPod } from './static-pods';
import { containersRunning, isTerminal } from './pod-state';
import { noPressure, podEvicted, pressureObserved, victimEnded, type NodePressure } from './node-pressure';

/** How long pods of at least this priority may take to end when their node shuts down, seconds. */
export interface ShutdownPeriod {
  priority: number;
  shutdownGracePeriodSeconds: number;
}

/** What others than pods take of a node: bytes, and numbers of files and processes. */
export interface TakenByOthers {
  memoryBytes: number;
  diskBytes: number;
  inodes?: number;
  pids?: number;
}

/** The same with since when (ms), and what it was before. */
export interface NodeLoad extends TakenByOthers {
  since: number;
  before?: TakenByOthers;
}

/** What is true of a simulated node and its Node does not say. Times are cluster time, ms. */
export interface NodeRecord {
  /** Since when nothing is heard of its kubelet. */
  silentSince?: number;
  /** What the log says of why it is not: a cause of what follows. */
  silentBecause?: { correlationId: string; causationId: string };
  /** The last time in which nothing was heard of it, though its kubelet went on. */
  lastSilence?: { from: number; to: number };
  /** When its kubelet process last began anew; absent: it is the one that the node came with. */
  kubeletStartedAt?: number;
  /** When the machine last went down, and every container with it. */
  rebootedAt?: number;
  /** How often it went down: each time it has another boot id. */
  reboots?: number;
  /** Bytes that others than pods take. */
  load?: NodeLoad;
  /** What its kubelet knows of its being short of something; absent: nothing has been. */
  pressure?: NodePressure;
  /** Since when the container runtime is not ready. */
  runtimeDownSince?: number;
  /** When it became ready again. */
  runtimeUpSince?: number;
  /** Since when the network plugin is not ready. */
  networkDownSince?: number;
  /** When it became ready again. */
  networkUpSince?: number;
  /** Since when it is being shut down, and how. */
  shutdown?: Shutdown;
}

/** A shutdown under way. */
export interface Shutdown {
  since: number;
  /** From the lowest priority up. */
  periods: readonly ShutdownPeriod[];
  /** Stages that have begun, and when: one a period, in their order. */
  begun: readonly number[];
}

function takenByOthers({ memoryBytes, diskBytes, inodes, pids }: JsonObject): TakenByOthers {
  return { memoryBytes, diskBytes, ...(inodes === undefined ? {} : { inodes }), ...(pids === undefined ? {} : { pids }) } as TakenByOthers;
}

/** An image that a node has. */
export interface NodeImage {
  /** As a pod named it first. */
  name: string;
  /** Ms. */
  since: number;
}

/** The pull of an image that takes its turn on a node. Times are ms. */
export interface QueuedPull {
  uid: string;
  container: string;
  askedAt: number;
  startsAt: number;
  endsAt: number;
}

/** Events that change what is true of a simulated node: each has the name of the node. */
export const nodeRecordTypes: ReadonlySet<string> = new Set([
  'NodeHeartbeatStopped',
  'NodeHeartbeatResumed',
  'NodeLoadChanged',
  'KubeletRestarted',
  'RuntimeStateChanged',
  'NodeShutdownBegun',
  'NodeShutdownStageBegun',
]);

/** What the eviction manager of a node's kubelet has found and decided: each has the name of the node. */
export const nodePressureTypes: ReadonlySet<string> = new Set(['NodePressureObserved', 'PodEvictedByKubelet']);

/** Records of nodes by name. They come also before the Node does, and go with it. */
export class NodeRecords {
  readonly byNode = new Map<string, NodeRecord>();
  /** When pods' sandboxes were killed under the kubelet, by the pod's uid. */
  readonly killedSandboxes = new Map<string, number>();
  /** Images that containers on a node were made from, by node and by what the runtime resolved the name to. */
  readonly images = new Map<string, Map<string, NodeImage>>();
  /** By node: pulls of images that take their turns, in that order, from those on that were not over when the latest was asked for. */
  readonly pulls = new Map<string, readonly QueuedPull[]>();

  /** Pods that were taken away while nothing was heard of their node's kubelet, by uid: their containers run on until it finds them. */
  readonly orphans = new Map<string, KubeObject>();

  /** What is recorded of the node; empty where nothing is. */
  of(node: string): NodeRecord {
    return this.byNode.get(node) ?? nothing;
  }

  fold({ id, type, data, metadata }: RecordedEvent): void {
    const time = metadata.time as number;
    const node = data.node as string;
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const after = recordAfter(this.of(node), type, data as any, time);
    const because = { correlationId: (metadata.$correlationId as string | undefined) ?? id, causationId: id };
    after.silentBecause = after.silentSince === undefined ? undefined : (after.silentBecause ?? because);
    if (Object.values(after).some((value) => value !== undefined)) this.byNode.set(node, after);
    else this.byNode.delete(node);
  }

  /** Notes whose sandboxes died, of the pods that are on the node. */
  sandboxesKilled(killed: readonly string[], pods: Iterable<KubeObject>, time: number): void {
    for (const { metadata } of pods) if (killed.includes(metadata.uid)) this.killedSandboxes.set(metadata.uid, time);
  }

  /** A container was made from an image on the node. */
  imageUsed(node: string, imageId: string, name: string, at: number): void {
    let images = this.images.get(node);
    if (!images) this.images.set(node, (images = new Map()));
    if (!images.has(imageId)) images.set(imageId, { name, since: at });
  }

  /** A kubelet that begins anew has forgotten those before it. */
  pullQueued(node: string, pull: QueuedPull): void {
    const { kubeletStartedAt = 0 } = this.of(node);
    const before = this.pulls.get(node) ?? [];
    this.pulls.set(node, [...before.filter(({ askedAt, endsAt }) => endsAt > pull.askedAt && askedAt >= kubeletStartedAt), pull]);
  }

  /** A pod that the node's kubelet has ordered to stop is over or gone. */
  orderedPodEnded(node: string, uid: string, at: number): void {
    const record = this.of(node);
    if (record.pressure?.victim?.uid === uid) this.byNode.set(node, { ...record, pressure: victimEnded(record.pressure, at) });
  }

  /** A pod is taken away: it was deleted, or another has its name. */
  podTaken(pod: KubeObject): void {
    const isUnheard = this.of((pod.spec?.nodeName ?? '') as string).silentSince !== undefined;
    if (!isUnheard || isStaticPod(pod) || isTerminal(pod) || containersRunning(pod).length === 0) return;
    this.orphans.set(pod.metadata.uid, pod);
  }

  nodeGone(node: string): void {
    this.byNode.delete(node);
    this.images.delete(node);
    for (const [uid, { spec }] of this.orphans) if (spec?.nodeName === node) this.orphans.delete(uid);
    this.pulls.delete(node);
  }

  podGone(uid: string): void {
    this.killedSandboxes.delete(uid);
  }
}

const nothing: NodeRecord = Object.freeze({});

// eslint-disable-next-line @typescript-eslint/no-explicit-any
function recordAfter(record: NodeRecord, type: string, data: any, time: number): NodeRecord {
  switch (type) {
    case 'NodeHeartbeatStopped':
      return { ...record, silentSince: record.silentSince ?? time };
    case 'NodeHeartbeatResumed':
      return {
        ...record,
        silentSince: undefined,
        ...(record.silentSince === undefined ? {} : { lastSilence: { from: record.silentSince, to: time } }),
      };
    case 'NodeLoadChanged': {
      const { since: _since, before: _before, ...before } = record.load ?? { memoryBytes: 0, diskBytes: 0, since: 0 };
      return { ...record, load: { ...takenByOthers(data), since: time, before } };
    }
    case 'NodePressureObserved':
      return { ...record, pressure: pressureObserved(record.pressure ?? noPressure, data) };
    case 'PodEvictedByKubelet':
      return { ...record, pressure: podEvicted(record.pressure ?? noPressure, data) };
    case 'KubeletRestarted': {
      const up = { ...record, silentSince: undefined, shutdown: undefined, pressure: undefined, kubeletStartedAt: time };
      return data.reboot ? rebooted(up, time) : up;
    }
    case 'NodeShutdownBegun':
      return { ...record, shutdown: { since: time, periods: sortedPeriods(data.periods), begun: [] } };
    case 'NodeShutdownStageBegun':
      return record.shutdown ? { ...record, shutdown: { ...record.shutdown, begun: [...record.shutdown.begun, time] } } : record;
    default:
      return runtimeChanged(record, data, time);
  }
}

function sortedPeriods(periods: readonly ShutdownPeriod[]): ShutdownPeriod[] {
  return [...periods].sort((a, b) => a.priority - b.priority);
}

function runtimeChanged(
  record: NodeRecord,
  { runtime, network, rebooted: isRebooted }: { runtime?: 'up' | 'down'; network?: 'up' | 'down'; rebooted?: boolean },
  time: number,
): NodeRecord {
  return {
    ...(isRebooted ? { ...rebooted(record, time), silentSince: record.silentSince ?? time } : record),
    ...(runtime === 'down' && { runtimeDownSince: record.runtimeDownSince ?? time, runtimeUpSince: undefined }),
    ...(runtime === 'up' && { runtimeDownSince: undefined, runtimeUpSince: time }),
    ...(network === 'down' && { networkDownSince: record.networkDownSince ?? time, networkUpSince: undefined }),
    ...(network === 'up' && { networkDownSince: undefined, networkUpSince: time }),
  };
}

function rebooted(record: NodeRecord, time: number): NodeRecord {
  return { ...record, load: undefined, rebootedAt: time, reboots: (record.reboots ?? 0) + 1 };
}
