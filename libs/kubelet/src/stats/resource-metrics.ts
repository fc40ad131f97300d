import type { ClusterState } from '#libs/cluster-state';
import { quantityMilli, type KubeObject } from '#libs/kernel';
import { nodeStats, podStats, type ContainerStats, type NodeStats, type PodStats } from './node-stats';

/** How often usage is asked of every kubelet, ms (metrics-server's `--metric-resolution`). */
const resolutionMs = 15_000;
/** A container that is so young counts from its start on, ms (metrics-server's `freshContainerMinMetricsResolution`). */
const freshMinMs = 10_000;

/** When a metrics server last asked. */
const lastQuestion = (now: number): number => Math.floor(now / resolutionMs) * resolutionMs;

/** Usage over a window that ended at a moment, ms. */
export interface Measured {
  at: number;
  windowMs: number;
  /** Nanocores, the mean of the window. */
  cpu: number;
  /** Bytes at its end. */
  memory: number;
}

export interface PodMetrics {
  pod: KubeObject;
  at: number;
  windowMs: number;
  containers: (Measured & { name: string })[];
}

export interface NodeMetrics extends Measured {
  node: KubeObject;
}

/**
 * What a metrics server that asks every 15 s would say at a moment. Nothing is asked and nothing kept: the moments of its questions are fixed, and
 * what it would have been told follows from the log.
 */
export function podMetrics(cluster: ClusterState, pod: KubeObject, now: number): PodMetrics | undefined {
  if (pod.status?.phase !== 'Running') return undefined;
  const stats = podStats(cluster, pod);
  return stats && measuredPod(stats, now);
}

/** Undefined: nothing has been measured twice yet, or nobody measures. */
export function nodeMetrics(cluster: ClusterState, name: string, now: number): NodeMetrics | undefined {
  const stats = nodeStats(cluster, name);
  return stats && measuredNode(stats, now);
}

function measuredPod({ pod, containers }: PodStats, now: number): PodMetrics | undefined {
  const last = lastQuestion(now);
  const found: PodMetrics['containers'] = [];
  for (const container of containers) {
    if (container.startedAt > last) continue;
    const from = windowOf(container, last);
    // A pod is told of as a whole, or not at all.
    if (from === undefined) return undefined;
    const cpu = Math.trunc(((container.cpuTimeNs(last) - container.cpuTimeNs(from)) * 1_000) / (last - from));
    found.push({ name: container.name, at: last, windowMs: last - from, cpu, memory: container.memory(last) });
  }
  const [first] = found;
  return first && { pod, at: first.at, windowMs: first.windowMs, containers: found };
}

/** From when on a container's use is known at a question; undefined: it is too young. */
function windowOf({ startedAt }: ContainerStats, last: number): number | undefined {
  const age = last - startedAt;
  if (age >= resolutionMs) return last - resolutionMs;
  return age >= freshMinMs ? startedAt : undefined;
}

function measuredNode({ node, startedAt, pods, memory }: NodeStats, now: number): NodeMetrics | undefined {
  const last = lastQuestion(now);
  const before = last - resolutionMs;
  if (startedAt > before) return undefined;
  let used = 0;
  for (const { containers } of pods)
    for (const container of containers) used += container.cpuTimeNs(last) - container.cpuTimeNs(Math.max(before, container.startedAt));
  // However much containers want, there is no more than the node has.
  const { cpu: cores } = (node.status?.capacity ?? {}) as Record<string, string | undefined>;
  const cpu = Math.min(Math.trunc((used * 1_000) / resolutionMs), quantityMilli(cores) * 1_000_000);
  return { node, at: last, windowMs: resolutionMs, cpu, memory: memory.used(last) };
}
