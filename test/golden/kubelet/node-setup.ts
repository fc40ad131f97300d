// The node of a recording, and how its kubelet was set up.
import type { KubeObject } from '#libs/kernel';
import type { KubeletOptions } from '#libs/kubelet';
import type { RecordedLife, RecordedNode } from './recording';

const ordinary: RecordedNode = { name: 'node-a', cpu: 64, memoryMi: 131_072, reservedMi: 0, pods: 250 };

/** Undefined: its kubelet comes later, and brings it along. */
export function nodeOf(life: RecordedLife): KubeObject | undefined {
  return life.nodeTimeline?.some(({ type }) => type === 'ADDED') ? undefined : nodeObject(life);
}

/** The Node as its kubelet finds it. */
export function nodeObject({ node = ordinary }: RecordedLife): KubeObject {
  const { name, cpu, memoryMi, reservedMi, pods, diskMi = 102_400, taints } = node;
  const capacity = { cpu: String(cpu), memory: `${memoryMi}Mi`, pods: String(pods), 'ephemeral-storage': `${diskMi}Mi` };
  return {
    metadata: { name, labels: { 'sim/role': name } },
    spec: taints ? { taints } : {},
    status: { capacity, allocatable: { ...capacity, memory: `${memoryMi - reservedMi}Mi` } },
  } as unknown as KubeObject;
}

/** Containers of the recordings start at once, but for what the runtime takes. */
const startupMs = 100;

export function kubeletOptionsOf({ leaseTimeline }: RecordedLife): KubeletOptions {
  return { startupMs, ...(leaseTimeline ? { heartbeats: true } : {}) };
}
