import { formatTime, parseTime, type JsonObject, type KubeObject } from '#libs/kernel';
import type { ContainerStats, NodeStats, PodStats, Resource } from '#libs/kubelet';

/** What a kubelet answers at `/stats/summary` (`stats/v1alpha1`), of what is simulated: no network, no pages, no swap. @param at cluster time, ms */
export function statsSummary(stats: NodeStats, at: number): JsonObject {
  const { node, startedAt, pods, memory, disk, inodes, pids } = stats;
  const time = formatTime(at);
  const free = inodes.capacity - inodes.used(at);
  const fs = { ...fileSystem(disk, at), inodesFree: free, inodes: inodes.capacity, inodesUsed: inodes.used(at) };
  const ofPods = pods.flatMap(({ containers }) => containers);
  const used = memory.used(at);
  return {
    node: {
      nodeName: node.metadata.name,
      systemContainers: [
        {
          name: 'pods',
          startTime: formatTime(startedAt),
          cpu: cpuOf(ofPods, at),
          memory: memoryOf(
            sumOf(pods, (pod) => pod.memory(at)),
            time,
            0,
          ),
        },
      ],
      startTime: formatTime(startedAt),
      cpu: cpuOf(ofPods, at),
      memory: { ...memoryOf(used, time, 0), availableBytes: memory.capacity - used },
      fs,
      runtime: { imageFs: fs, containerFs: fs },
      rlimit: { time, maxpid: pids.capacity, curproc: pids.used(at) },
    },
    pods: pods.filter(({ containers }) => containers.length > 0).map((pod) => podSummary(pod, disk, at)),
  };
}

function podSummary({ pod, containers, volumes, memory, disk, pids }: PodStats, nodeDisk: Resource, at: number): JsonObject {
  const time = formatTime(at);
  return {
    podRef: referenceTo(pod),
    startTime: formatTime(parseTime((pod.status as { startTime?: string } | undefined)?.startTime) ?? at),
    containers: containers.map((container) => containerSummary(container, nodeDisk, at)),
    cpu: cpuOf(containers, at),
    memory: memoryOf(memory(at), time, 0),
    ...(volumes.length > 0 ? { volume: volumes.map(({ name, used }) => ({ ...fileSystem(nodeDisk, at, used(at)), name })) } : {}),
    'ephemeral-storage': fileSystem(nodeDisk, at, disk(at)),
    process_stats: { process_count: pids(at) },
  };
}

function referenceTo({ metadata: { name, namespace = '', uid } }: KubeObject): JsonObject {
  return { name, namespace, uid };
}

function containerSummary(container: ContainerStats, nodeDisk: Resource, at: number): JsonObject {
  const { name, startedAt, memory, memoryLimit, disk } = container;
  return {
    name,
    startTime: formatTime(startedAt),
    cpu: cpuOf([container], at),
    memory: memoryOf(memory(at), formatTime(at), memoryLimit),
    rootfs: fileSystem(nodeDisk, at, disk(at)),
    logs: fileSystem(nodeDisk, at, 0),
  };
}

function cpuOf(containers: readonly ContainerStats[], at: number): JsonObject {
  return {
    time: formatTime(at),
    usageNanoCores: sumOf(containers, (container) => container.cpu(at)),
    usageCoreNanoSeconds: sumOf(containers, (container) => container.cpuTimeNs(at)),
  };
}

function sumOf<T>(all: readonly T[], amountOf: (each: T) => number): number {
  return all.reduce((sum, each) => sum + amountOf(each), 0);
}

/** What is left is told where there is a limit: 0 is none. */
function memoryOf(bytes: number, time: string, limit: number): JsonObject {
  const left = limit > 0 ? { availableBytes: Math.max(0, limit - bytes) } : {};
  return { time, ...left, usageBytes: bytes, workingSetBytes: bytes, rssBytes: bytes };
}

/** The node's disk; a part of it is all that `used` bytes are of. */
function fileSystem({ capacity, used: usedAt }: Resource, at: number, used = usedAt(at)): JsonObject {
  return { time: formatTime(at), availableBytes: capacity - usedAt(at), capacityBytes: capacity, usedBytes: used };
}
