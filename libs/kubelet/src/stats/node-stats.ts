import { kubeletStart, type ClusterState } from '#libs/cluster-state';
import { parseTime, quantityMilli, quantityValue, type KubeObject } from '#libs/kernel';
import { nodeMeasures, type Measure } from '../eviction/node-usage';
import { diskOf, isActive, memoryOf, pidsOf, podUsage, type ContainerUsage, type PodUsage } from '../eviction/pod-usage';
import { usedAt } from '../eviction/usage-line';
import { operatedNode } from '../node-registration/node-of-kubelet';
import { cpuAt, cpuTimeAt, type CpuUse } from './cpu-time';

/** What a simulated kubelet measures of a running container. Times are ms since the epoch. */
export interface ContainerStats {
  readonly name: string;
  readonly startedAt: number;
  /** Processor time since its start, nanoseconds. */
  cpuTimeNs(at: number): number;
  /** Nanocores. */
  cpu(at: number): number;
  /** Bytes. */
  memory(at: number): number;
  /** Bytes of its own layer and its logs. */
  disk(at: number): number;
  /** Bytes; 0: it is not limited. */
  readonly memoryLimit: number;
}

export interface VolumeStats {
  readonly name: string;
  /** Bytes. */
  used(at: number): number;
}

export interface PodStats {
  readonly pod: KubeObject;
  /** Those that run, sidecars first. */
  readonly containers: readonly ContainerStats[];
  readonly volumes: readonly VolumeStats[];
  /** Bytes of its containers and of volumes in memory. */
  memory(at: number): number;
  /** Bytes of its containers and of volumes on disk. */
  disk(at: number): number;
  /** How many processes it has. */
  pids(at: number): number;
}

export interface NodeStats {
  readonly node: KubeObject;
  /** When its kubelet began. */
  readonly startedAt: number;
  readonly pods: readonly PodStats[];
  /** Bytes that there are, and that are in use, whoever uses them. */
  readonly memory: Resource;
  readonly disk: Resource;
  readonly inodes: Resource;
  readonly pids: Resource;
}

export interface Resource {
  readonly capacity: number;
  used(at: number): number;
}

/** What a node's kubelet measures; undefined: no simulated kubelet is at work there. */
export function nodeStats(cluster: ClusterState, name: string): NodeStats | undefined {
  const node = operatedNode(cluster, name);
  if (!node) return undefined;
  const startedAt = kubeletStart(cluster, name, parseTime(node.metadata.creationTimestamp) ?? 0);
  const usages: PodUsage[] = [];
  for (const pod of cluster.indices.podsOnNode(name).values()) if (isActive(pod)) usages.push(podUsage(cluster, pod, startedAt));
  const measures = nodeMeasures(node, cluster.decisions.nodes.of(name), usages);
  return {
    node,
    startedAt,
    pods: usages.map(statsOf),
    memory: resourceOf(measures['memory.available'], inPages),
    disk: resourceOf(measures['nodefs.available'], inPages),
    inodes: resourceOf(measures['nodefs.inodesFree'], Math.ceil),
    pids: resourceOf(measures['pid.available'], Math.ceil),
  };
}

/** What its node's kubelet measures of a pod; undefined: none does. */
export function podStats(cluster: ClusterState, pod: KubeObject): PodStats | undefined {
  const node = operatedNode(cluster, (pod.spec?.nodeName ?? '') as string);
  if (!node || !isActive(pod)) return undefined;
  return statsOf(podUsage(cluster, pod, kubeletStart(cluster, node.metadata.name, parseTime(node.metadata.creationTimestamp) ?? 0)));
}

const pageBytes = 4_096;

/** Memory is given in pages, and disks in blocks of that size. */
const inPages = (bytes: number): number => Math.ceil(bytes / pageBytes) * pageBytes;

function resourceOf(measure: Measure | undefined, whole: (amount: number) => number): Resource {
  return { capacity: measure?.capacity ?? 0, used: (at) => (measure ? Math.min(measure.capacity, whole(usedAt(measure.used, at))) : 0) };
}

function statsOf(usage: PodUsage): PodStats {
  const [memory, disk, pids] = [memoryOf(usage), diskOf(usage), pidsOf(usage)];
  return {
    pod: usage.pod,
    containers: (usage.containers ?? []).map(containerStats),
    volumes: usage.volumes.map(({ name, used }) => ({ name, used: (at) => inPages(usedAt(used, at)) })),
    memory: (at) => inPages(usedAt(memory, at)),
    disk: (at) => inPages(usedAt(disk, at)),
    pids: (at) => Math.ceil(usedAt(pids, at)),
  };
}

function containerStats({ name, startedAt, behaviour, limits, memory, disk }: ContainerUsage): ContainerStats {
  const { cpu: steps, cpuCycleMs: cycleMs } = behaviour;
  const use: CpuUse = {
    steps,
    ...(cycleMs === undefined ? {} : { cycleMs }),
    ...(limits.cpu === undefined ? {} : { limit: quantityMilli(limits.cpu) }),
  };
  return {
    name,
    startedAt,
    // A millicore is a microsecond of processor time each ms.
    cpuTimeNs: (at) => Math.round(cpuTimeAt(use, at - startedAt) * 1_000),
    cpu: (at) => Math.round(cpuAt(use, at - startedAt) * 1_000_000),
    memory: (at) => inPages(usedAt(memory, at)),
    disk: (at) => inPages(usedAt(disk, at)),
    memoryLimit: quantityValue(limits.memory),
  };
}
