/** What eviction thresholds are set on (upstream `pkg/kubelet/eviction/api`). */
export const signals = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
] as const;

export type Signal = (typeof signals)[number];

/** What is starved, as messages name it. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

export type PressureConditionType = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

export function isSignal(text: string): text is Signal {
  return (signals as readonly string[]).includes(text);
}

export function resourceOf(signal: Signal): StarvedResource {
  if (isOfMemory(signal)) return 'memory';
  if (signal === 'pid.available') return 'pids';
  return signal.endsWith('inodesFree') ? 'inodes' : 'ephemeral-storage';
}

export function conditionOfSignal(signal: Signal): PressureConditionType {
  if (isOfMemory(signal)) return 'MemoryPressure';
  return signal === 'pid.available' ? 'PIDPressure' : 'DiskPressure';
}

function isOfMemory(signal: Signal): boolean {
  return signal === 'memory.available' || signal === 'allocatableMemory.available';
}
