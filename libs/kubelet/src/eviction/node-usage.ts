import type { NodeRecord } from '#libs/cluster-state';
import { quantityValue, type KubeObject } from '#libs/kernel';
import { diskOf, inodesOf, memoryOf, pidsOf, type PodUsage } from './pod-usage';
import type { Signal } from './signals';
import { sumOf, usedAt, type UsageLine } from './usage-line';

/** A file system is made with an inode for so many bytes of it (ext4's usual ratio). */
const bytesPerInode = 16_384;
/** Processes that a machine can have (Linux's usual `kernel.pid_max` of old). */
export const pidsMax = 32_768;

/** What a signal is measured on: so much there is in all (bytes, or a number of inodes or processes), and this is used of it. */
export interface Measure {
  capacity: number;
  used: UsageLine;
}

/** What can be measured on a node, by signal. There is one disk: for the node's files, images and containers alike. */
export type NodeMeasures = Partial<Record<Signal, Measure>>;

export function nodeMeasures({ status }: KubeObject, { load }: NodeRecord, pods: readonly PodUsage[]): NodeMeasures {
  const { capacity = {}, allocatable = {} } = (status ?? {}) as Record<string, Record<string, string> | undefined>;
  const ofPods = sumOf(pods.map(memoryOf));
  const memory = { capacity: quantityValue(capacity.memory), used: sumOf([othersUse(load, 'memoryBytes'), ofPods]) };
  const disk = {
    capacity: quantityValue(capacity['ephemeral-storage']),
    used: sumOf([othersUse(load, 'diskBytes'), ...pods.map(diskOf)]),
  };
  const inodes = {
    capacity: Math.trunc(disk.capacity / bytesPerInode),
    used: sumOf([othersUse(load, 'inodes'), ...pods.map(inodesOf)]),
  };
  return {
    'memory.available': memory,
    'allocatableMemory.available': { capacity: quantityValue(allocatable.memory ?? capacity.memory), used: ofPods },
    'nodefs.available': disk,
    'imagefs.available': disk,
    'containerfs.available': disk,
    'nodefs.inodesFree': inodes,
    'imagefs.inodesFree': inodes,
    'containerfs.inodesFree': inodes,
    'pid.available': { capacity: pidsMax, used: sumOf([othersUse(load, 'pids'), ...pods.map(pidsOf)]) },
  };
}

function othersUse(load: NodeRecord['load'], what: 'memoryBytes' | 'diskBytes' | 'inodes' | 'pids'): UsageLine {
  if (!load) return [];
  return [
    { from: 0, amount: load.before?.[what] ?? 0, perMs: 0 },
    { from: load.since, amount: load[what] ?? 0, perMs: 0 },
  ];
}

/** What is left at a moment; undefined: nothing measures that. */
export function availableAt(measures: NodeMeasures, signal: Signal, time: number): number | undefined {
  const measure = measures[signal];
  return measure && Math.max(0, measure.capacity - Math.ceil(usedAt(measure.used, time)));
}
