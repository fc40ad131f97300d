import type { KubeObject } from '#libs/kernel';

/** Pause of kubectl between two tries of a refused eviction. */
export const evictionRetryMs = 5_000;
/** How often kubectl looks whether an evicted pod is gone. */
const gonePollMs = 1_000;

export interface DrainOptions {
  /** `--timeout`; without it a drain goes on until it is done. */
  timeoutMs?: number;
  /** `--pod-selector`: only pods with these labels. */
  podSelector?: Readonly<Record<string, string>>;
  /** Each answer to an eviction. */
  tell?: (eviction: EvictionAnswer) => void;
}

export interface EvictionAnswer {
  /** `namespace/name`. */
  pod: string;
  code: number;
  message?: string;
}

/** What `kubectl drain` needs of a cluster: a simulated one, or a live one. */
export interface DrainCluster {
  now(): number;
  sleep(ms: number): Promise<void>;
  cordon(node: string): Promise<void>;
  podsOn(node: string): Promise<KubeObject[]>;
  evict(pod: KubeObject): Promise<{ code: number; message?: string }>;
  /** Whether this very pod (by uid) is still there. */
  isThere(pod: KubeObject): Promise<boolean>;
}

/**
 * `kubectl drain --ignore-daemonsets --delete-emptydir-data --force`: cordon, evict all pods side by side, try refused ones
 * again every 5 s, wait until they are gone. Gives whether all of them are.
 */
export async function drainNode(cluster: DrainCluster, node: string, options: DrainOptions = {}): Promise<boolean> {
  const { timeoutMs, podSelector = {} } = options;
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : cluster.now() + timeoutMs;
  await cluster.cordon(node);
  const wanted = Object.entries(podSelector);
  const pods = (await cluster.podsOn(node)).filter(
    (pod) => !isLeftAlone(pod) && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value),
  );
  const gone = await Promise.all(pods.map((pod) => evictUntilGone(cluster, pod, deadline, options.tell)));
  return gone.every(Boolean);
}

/** DaemonSets would bring their pods back, and static pods are not the API server's to remove. */
function isLeftAlone(pod: KubeObject): boolean {
  const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller);
  return owner?.kind === 'DaemonSet' || pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}

async function evictUntilGone(cluster: DrainCluster, pod: KubeObject, deadline: number, tell: DrainOptions['tell']): Promise<boolean> {
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  for (;;) {
    const { code, message } = await cluster.evict(pod);
    tell?.({ pod: name, code, message });
    if (code === 404) return true;
    if (code < 300) break;
    if (code !== 429) return false;
    if (!(await pause(cluster, evictionRetryMs, deadline))) return false;
  }
  while (await cluster.isThere(pod)) if (!(await pause(cluster, gonePollMs, deadline))) return false;
  return true;
}

/** Sleeps, but not beyond the deadline; gives whether there is time left. */
async function pause(cluster: DrainCluster, ms: number, deadline: number): Promise<boolean> {
  const left = deadline - cluster.now();
  await cluster.sleep(Math.max(0, Math.min(ms, left)));
  return left > ms;
}
