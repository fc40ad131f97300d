// What is stuck in a cluster that has been left alone for long, all of its nodes well.
import type { ClusterState } from '#libs/cluster-state';
import { parseTime, type JsonObject, type KubeObject } from '#libs/kernel';

/** Graces and hooks of the pods that live here are shorter, ms. */
const slackMs = 180_000;

/** @returns each pod that should have gone on, in words. */
export function stuckPods(state: ClusterState, now: number): string[] {
  return [...state.list('pods')].flatMap((pod) => {
    const why = whyStuck(state, pod, now);
    return why ? [`pod ${pod.metadata.name} ${why}`] : [];
  });
}

function whyStuck(state: ClusterState, { metadata, spec, status }: KubeObject, now: number): string | undefined {
  const since = (text: unknown): number => now - (parseTime(text as string) ?? now);
  if (metadata.deletionTimestamp && since(metadata.deletionTimestamp) > slackMs) return `is to be gone since ${metadata.deletionTimestamp}`;
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  if (isOver) return undefined;
  const node = spec?.nodeName as string | undefined;
  if (!node) return undefined;
  if (!state.get('nodes', undefined, node)) return `is on ${node}, which is no more`;
  if (!status?.startTime) return `has been bound to ${node}, and its kubelet has not taken it`;
  if (since(status.startTime) > slackMs && isCreatedForEver(spec, status, metadata.annotations ?? {}))
    return 'is being created, and nothing stands in its way';
  const deadline = spec?.activeDeadlineSeconds as number | undefined;
  if (deadline !== undefined && since(status.startTime) > deadline * 1_000 + slackMs) return 'has outlived its deadline';
  return undefined;
}

/** Keys of what keeps these pods from being made. */
const obstacles = /\/(images|sandbox-fails|[^/]*\.fail-(create|start))/;

function isCreatedForEver(spec: JsonObject, status: JsonObject, annotations: Readonly<Record<string, string>>): boolean {
  if (spec.initContainers || Object.keys(annotations).some((key) => obstacles.test(key))) return false;
  const statuses = (status.containerStatuses ?? []) as { state: { waiting?: { reason?: string } } }[];
  return statuses.some(({ state }) => state.waiting?.reason === 'ContainerCreating');
}
