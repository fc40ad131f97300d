import type { KubeObject } from '#libs/kernel';
import { conditionOf } from './conditions';

export function isReady(pod: KubeObject): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/** It has come to its end: none of its containers runs any more, nor will. */
export function isTerminal(pod: KubeObject): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

type ContainerStatuses = { name: string; state?: { running?: unknown } }[];

/** Names of the containers that the status shows running. */
export function containersRunning({ status }: KubeObject): string[] {
  const {
    initContainerStatuses = [],
    containerStatuses = [],
    ephemeralContainerStatuses = [],
  } = (status ?? {}) as Record<string, ContainerStatuses | undefined>;
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return all.filter(({ state }) => state?.running).map(({ name }) => name);
}
