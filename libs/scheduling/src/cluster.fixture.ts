import type { KubeObject } from '#libs/kernel';
import { SchedulerCache } from './cache/cache';
import type { Profiles } from './config/profiles';
import { createProfiles } from './config/profiles';
import type { RawPodSpec } from './framework/kube-types';
import type { NominatedPods } from './framework/nominated-pods';
import type { PodInfo } from './framework/pod-info';
import { podInfoOf } from './framework/pod-info';
import type { Framework } from './framework/runtime';
import type { AttemptOptions, AttemptResult } from './attempt-result';
import { schedulePod } from './schedule-pod';

export const now = Date.parse('2026-01-01T00:00:00Z');

export interface PodParts extends RawPodSpec {
  labels?: Record<string, string>;
  namespace?: string;
  cpu?: string;
  memory?: string;
  hostPort?: number;
  startTime?: string;
  nominated?: string;
  terminating?: boolean;
  status?: object;
  metadata?: object;
}

/** A pod with one container; `cpu` and `memory` are its requests. */
export function makePod(name: string, parts: PodParts = {}): KubeObject {
  const { labels, namespace = 'default', cpu, memory, hostPort, startTime, nominated, terminating, status, metadata, ...spec } = parts;
  const requests = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
  const container = {
    name: 'c',
    image: 'app:v1',
    resources: { requests },
    ...(hostPort === undefined ? {} : { ports: [{ hostPort, containerPort: hostPort }] }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `u-${namespace}-${name}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
      ...(terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      ...metadata,
    },
    spec: { containers: [container], ...spec },
    status: { phase: spec.nodeName ? 'Running' : 'Pending', startTime, nominatedNodeName: nominated, ...status },
  };
}

export interface NodeParts {
  labels?: Record<string, string>;
  cpu?: string;
  memory?: string;
  pods?: string;
  allocatable?: Record<string, string>;
  taints?: { key: string; value?: string; effect: string }[];
  unschedulable?: boolean;
  images?: { names: string[]; sizeBytes: number }[];
}

export function makeNode(name: string, parts: NodeParts = {}): KubeObject {
  const { labels, cpu = '4', memory = '8Gi', pods = '110', allocatable, taints, unschedulable, images } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `u-${name}`, creationTimestamp: '2026-01-01T00:00:00Z', labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints, unschedulable },
    status: { allocatable: { cpu, memory, pods, ...allocatable }, images },
  };
}

export function makeObject(kind: string, name: string, fields: object = {}, namespace?: string): KubeObject {
  return { kind, metadata: { name, namespace, uid: `u-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' }, ...fields };
}

export interface Cluster {
  nodes?: readonly KubeObject[];
  /** Pods with a node. */
  pods?: readonly KubeObject[];
  nominated?: readonly KubeObject[];
  objects?: Readonly<Record<string, readonly KubeObject[]>>;
  config?: object;
}

export function makeCache({ nodes = [], pods = [], objects = {} }: Cluster): SchedulerCache {
  const cache = new SchedulerCache();
  for (const [resource, list] of Object.entries(objects)) for (const object of list) cache.setObject(resource, object);
  for (const node of nodes) cache.addNode(node);
  for (const pod of pods) cache.addPod(pod);
  return cache;
}

export function nominations(pods: readonly KubeObject[]): NominatedPods {
  const byNode = new Map<string, PodInfo[]>();
  for (const pod of pods) {
    const node = pod.status?.nominatedNodeName as string;
    byNode.set(node, [...(byNode.get(node) ?? []), podInfoOf(pod)]);
  }
  const none: PodInfo[] = [];
  return { on: (node) => byNode.get(node) ?? none };
}

export function defaultProfile(profiles: Profiles): Framework {
  const profile = profiles.get('default-scheduler');
  if (profile === undefined) throw new Error('no profile default-scheduler');
  return profile;
}

/** One attempt on a cluster made for it; every node examined and chance always 0 unless told otherwise. */
export function attempt(
  cluster: Cluster,
  pod: KubeObject,
  options: Partial<AttemptOptions & { extenders?: undefined }> = {},
): AttemptResult {
  const profile = defaultProfile(createProfiles(cluster.config));
  return schedulePod(makeCache(cluster).snapshot(), pod, {
    profile,
    chance: () => 0,
    now,
    evaluateAll: true,
    nominated: nominations(cluster.nominated ?? []),
    ...options,
  });
}

/** What each node was refused for: `plugin: reasons`; a node that passed is `fits`. */
export function verdicts(cluster: Cluster, pod: KubeObject): Record<string, string> {
  const result = attempt(cluster, pod);
  if (result.kind === 'error') throw new Error(result.message);
  const names = (cluster.nodes ?? []).map((node) => node.metadata.name);
  return Object.fromEntries(
    names.map((name) => {
      if (result.feasible.includes(name)) return [name, 'fits'];
      const { plugin, reasons } = result.diagnosis.statusOf(name);
      return [name, `${plugin}: ${reasons.join(', ')}`];
    }),
  );
}

/** The weighted scores of one plugin by node; undefined when it did not score. */
export function scoresOf(cluster: Cluster, pod: KubeObject, plugin: string): Record<string, number> | undefined {
  const result = attempt(cluster, pod);
  if (result.kind !== 'bound' || result.scores === undefined) throw new Error(`nothing was scored: ${JSON.stringify(result.kind)}`);
  const { nodes, byPlugin } = result.scores;
  const scores = byPlugin.get(plugin);
  return scores && Object.fromEntries(nodes.map((node, i) => [node, scores[i] as number]));
}
