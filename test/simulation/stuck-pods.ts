// What is stuck in a cluster that has been left alone for long, all of its nodes well.
import type { ClusterState } from '#libs/cluster-state';
import { parseTime, type KubeObject } from '#libs/kernel';

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
  const deadline = spec?.activeDeadlineSeconds as number | undefined;
  if (deadline !== undefined && since(status.startTime) > deadline * 1_000 + slackMs) return 'has outlived its deadline';
  return undefined;
}
