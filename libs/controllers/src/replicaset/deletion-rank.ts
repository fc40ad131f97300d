import { isReady } from '#libs/cluster-state';
import { parseTime, type KubeObject } from '#libs/kernel';
import { isActive, readySince } from './pod-state';

const phaseOrder: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

interface Ranked {
  pod: KubeObject;
  node: string;
  phase: number;
  ready: boolean;
  cost: number;
  /** Active pods of the same owner's ReplicaSets on the pod's node. */
  siblings: number;
  readySince: number | undefined;
  restarts: number;
  sidecarRestarts: number;
  created: number | undefined;
}

/**
 * The pods to delete first when some must go (upstream `ActivePodsWithRanks`). Priority plays no part.
 * @param siblings all pods of the ReplicaSets with the same controller; empty for a ReplicaSet that has none
 */
export function podsToDelete(pods: readonly KubeObject[], siblings: readonly KubeObject[], count: number, now: number): KubeObject[] {
  if (count >= pods.length) return [...pods];
  const onNode = new Map<string, number>();
  for (const sibling of siblings) {
    const node = nodeOf(sibling);
    if (isActive(sibling)) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => rank(pod, onNode));
  ranked.sort((a, b) => compare(a, b, now));
  return ranked.slice(0, count).map(({ pod }) => pod);
}

function nodeOf(pod: KubeObject): string {
  return (pod.spec?.nodeName as string | undefined) ?? '';
}

function rank(pod: KubeObject, onNode: ReadonlyMap<string, number>): Ranked {
  const node = nodeOf(pod);
  return {
    pod,
    node,
    phase: phaseOrder[(pod.status?.phase as string | undefined) ?? ''] ?? 0,
    ready: isReady(pod),
    cost: deletionCost(pod),
    siblings: onNode.get(node) ?? 0,
    readySince: readySince(pod),
    restarts: highestRestarts(pod.status?.containerStatuses),
    sidecarRestarts: sidecarRestarts(pod),
    created: parseTime(pod.metadata.creationTimestamp),
  };
}

/** A 32-bit integer as Go writes one, else no cost at all. */
function deletionCost(pod: KubeObject): number {
  const text = pod.metadata.annotations?.[deletionCostAnnotation];
  if (text === undefined || !/^(0|-?[1-9]\d{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -2_147_483_648 && cost <= 2_147_483_647 ? cost : 0;
}

interface ContainerStatus {
  name: string;
  restartCount?: number;
}

function highestRestarts(statuses: ContainerStatus[] | undefined): number {
  let highest = 0;
  for (const { restartCount = 0 } of statuses ?? []) highest = Math.max(highest, restartCount);
  return highest;
}

function sidecarRestarts(pod: KubeObject): number {
  const statuses = pod.status?.initContainerStatuses as ContainerStatus[] | undefined;
  if (!statuses) return 0;
  const containers = (pod.spec?.initContainers ?? []) as { name: string; restartPolicy?: string }[];
  const sidecars = new Set(containers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name));
  return highestRestarts(statuses.filter(({ name }) => sidecars.has(name)));
}

/** Below zero: `a` goes first. */
function compare(a: Ranked, b: Ranked, now: number): number {
  if (a.node !== b.node && (a.node === '' || b.node === '')) return a.node === '' ? -1 : 1;
  if (a.phase !== b.phase) return a.phase - b.phase;
  if (a.ready !== b.ready) return a.ready ? 1 : -1;
  if (a.cost !== b.cost) return a.cost - b.cost;
  if (a.siblings !== b.siblings) return b.siblings - a.siblings;
  if (a.ready && a.readySince !== b.readySince) return younger(a, b, a.readySince, b.readySince, now);
  if (a.restarts !== b.restarts) return b.restarts - a.restarts;
  if (a.sidecarRestarts !== b.sidecarRestarts) return b.sidecarRestarts - a.sidecarRestarts;
  if (a.created !== b.created) return younger(a, b, a.created, b.created, now);
  return byUid(a, b);
}

/** The younger goes first, by powers of two of its age (so that not all of one age go); within one power the smaller uid. */
function younger(a: Ranked, b: Ranked, sinceA: number | undefined, sinceB: number | undefined, now: number): number {
  if (sinceA === undefined || sinceB === undefined) return sinceA === undefined ? -1 : 1;
  const difference = ageRank(now - sinceA) - ageRank(now - sinceB);
  return difference === 0 ? byUid(a, b) : difference;
}

function ageRank(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1_000_000)) : -1;
}

function byUid(a: Ranked, b: Ranked): number {
  return a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1;
}
