import { conditionOf } from '#libs/cluster-state';
import { formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { notReady, unreachable } from './node-conditions';

export interface Taint extends JsonObject {
  key: string;
  effect: string;
  timeAdded?: string;
}

/** NoSchedule taints that say what a condition says, by condition type and status (upstream `nodeConditionToTaintKeyStatusMap`). */
const conditionTaints: readonly [type: string, status: string, key: string][] = [
  ['Ready', 'False', notReady],
  ['Ready', 'Unknown', unreachable],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
];
const unschedulable = 'node.kubernetes.io/unschedulable';
const mirrored = new Set([...conditionTaints.map(([, , key]) => key), unschedulable]);

const none: readonly Taint[] = [];

export function taintsOf(node: KubeObject): readonly Taint[] {
  return (node.spec?.taints as Taint[] | undefined) ?? none;
}

/** The node with these taints; the field goes with the last. */
export function withTaints(node: KubeObject, taints: readonly Taint[]): KubeObject {
  const { taints: _, ...spec } = node.spec ?? {};
  return { ...node, spec: taints.length > 0 ? { ...node.spec, taints: [...taints] } : spec };
}

/**
 * The node's taints with those of NoSchedule in step with its conditions and its cordon (upstream `doNoScheduleTaintingPass`): what no condition
 * says is taken off, from a node without conditions too. The same array when nothing is otherwise.
 */
export function withNoScheduleTaints(node: KubeObject, now: number): readonly Taint[] {
  const taints = taintsOf(node);
  const wanted = wantedTaints(node);
  const isMirrored = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && mirrored.has(key);
  const surplus = taints.filter((taint) => isMirrored(taint) && !wanted.has(taint.key));
  const missing = [...wanted].filter((key) => !taints.some((taint) => isMirrored(taint) && taint.key === key));
  if (surplus.length === 0 && missing.length === 0) return taints;
  const timeAdded = formatTime(now);
  return [...taints.filter((taint) => !surplus.includes(taint)), ...missing.map((key) => ({ key, effect: 'NoSchedule', timeAdded }))];
}

function wantedTaints(node: KubeObject): Set<string> {
  const wanted = new Set<string>();
  for (const [type, status, key] of conditionTaints) if (conditionOf(node, type)?.status === status) wanted.add(key);
  if (node.spec?.unschedulable === true) wanted.add(unschedulable);
  return wanted;
}
