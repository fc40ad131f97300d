import { heartbeatMs, type NodeRecord } from '#libs/cluster-state';

/** A container runtime that does not answer for so long is called down, ms (upstream `maxWaitForContainerRuntime`). */
const runtimeWaitMs = 30_000;

export const networkNotReady =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';
const runtimeNotReady = 'container runtime not ready: RuntimeReady=false reason:Stopped message:simulated stop';

const shuttingDown = 'node is shutting down';

/** Whether a message about readiness is one of those of the simulated kubelet. */
export function isOwnMessage(message: string): boolean {
  return [networkNotReady, runtimeNotReady, shuttingDown].some((own) => message.includes(own));
}

/** Why the kubelet calls its node not ready at a moment, in upstream's words; undefined: it is ready. */
export function notReadyMessage({ runtimeDownSince, networkDownSince, shutdown }: NodeRecord, now: number): string | undefined {
  const problems = [
    ...(runtimeDownSince !== undefined && now - runtimeDownSince > runtimeWaitMs ? ['container runtime is down'] : []),
    ...(runtimeDownSince === undefined ? [] : [runtimeNotReady]),
    ...(networkDownSince === undefined ? [] : [networkNotReady]),
    ...(shutdown ? [shuttingDown] : []),
  ];
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}

/** When what `notReadyMessage` says changed last, up to a moment, and when it will next by time alone, ms. */
export function messageChanges(record: NodeRecord, now: number): { last: number; next?: number } {
  const { runtimeDownSince, runtimeUpSince, networkDownSince, networkUpSince, shutdown, kubeletStartedAt } = record;
  const down = runtimeDownSince === undefined ? undefined : runtimeDownSince + runtimeWaitMs + 1;
  let last = 0;
  for (const at of [runtimeDownSince, runtimeUpSince, networkDownSince, networkUpSince, shutdown?.since, kubeletStartedAt, down])
    if (at !== undefined && at <= now) last = Math.max(last, at);
  return { last, ...(down !== undefined && down > now ? { next: down } : {}) };
}

/** The first moment at or after `time` at which the kubelet looks at its node's status, ms. @param start when the kubelet began, ms */
export function nextStatusLook(start: number, time: number): number {
  return time <= start ? start : start + Math.ceil((time - start) / heartbeatMs) * heartbeatMs;
}
