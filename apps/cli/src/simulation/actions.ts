import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { decodeObject, findKind, type Failure, type PatchType, type ResourceKind, type Target } from '#libs/kube-api';
import type { WriteResult } from '#libs/control-loop';
import { CliError } from '../cli-error';
import type { SimulatedCluster } from './simulated-cluster';

/** `kubectl apply` of one manifest: created when absent, merged into what is there otherwise. */
export async function applyManifest(cluster: SimulatedCluster, manifest: JsonObject, user = 'admin'): Promise<WriteResult> {
  const { kind, object } = readManifest(manifest);
  const namespace = kind.namespaced ? (object.metadata.namespace ?? 'default') : undefined;
  const { name } = object.metadata;
  const present = name ? cluster.state.get(kind.storage, namespace, name) : undefined;
  if (!present) return cluster.write({ verb: 'create', resource: kind.groupResource, namespace, object }, user);
  return cluster.write({ verb: 'patch', target: { resource: kind.groupResource, namespace, name }, patchType: 'strategic', patch: manifest }, user);
}

/** @throws CliError when the manifest is of no served kind or does not read as one. */
export function readManifest(manifest: JsonObject): { kind: ResourceKind; object: KubeObject } {
  const { apiVersion, kind: name } = manifest;
  const kind = typeof apiVersion === 'string' && typeof name === 'string' ? findKind(apiVersion, name) : undefined;
  if (!kind) throw new CliError(`no kind "${String(name)}" in version "${String(apiVersion)}"`, 'A manifest begins with apiVersion and kind.');
  const decoded = decodeObject({ group: kind.group, version: kind.version, kind: kind.kind }, JSON.stringify(manifest), { fieldValidation: 'Strict' });
  if (!decoded.ok) throw new CliError(decoded.status.message);
  return { kind, object: decoded.object };
}

export function patchObject(cluster: SimulatedCluster, target: Target, patch: Json, patchType: PatchType, user = 'admin'): Promise<WriteResult> {
  return cluster.write({ verb: 'patch', target, patchType, patch }, user);
}

export function scaleObject(cluster: SimulatedCluster, target: Target, replicas: number, user = 'admin'): Promise<WriteResult> {
  return patchObject(cluster, target, { spec: { replicas } }, 'merge', user);
}

/** Pause of kubectl between two tries of a refused eviction. */
const evictionRetryMs = 5_000;
/** How often kubectl looks whether an evicted pod is gone. */
const gonePollMs = 1_000;

export interface DrainResult {
  /** In order: `namespace/name` and the code of each answer. */
  evictions: { pod: string; code: number }[];
  finished: boolean;
}

/**
 * `kubectl drain --ignore-daemonsets --delete-emptydir-data --force`: cordon, evict all pods side by side, try refused ones
 * again every 5 s, wait until they are gone.
 */
export async function drainNode(cluster: SimulatedCluster, node: string, options: { timeoutMs?: number; user?: string } = {}): Promise<DrainResult> {
  const { user = 'admin' } = options;
  const deadline = options.timeoutMs ? cluster.clock.now() + options.timeoutMs : Number.POSITIVE_INFINITY;
  const result: DrainResult = { evictions: [], finished: true };
  await patchObject(cluster, { resource: 'nodes', name: node }, { spec: { unschedulable: true } }, 'merge', user);
  const pods = [...cluster.state.indices.podsOnNode(node).values()].filter((pod) => !isLeftAlone(pod));
  await Promise.all(pods.map((pod) => evictUntilGone(cluster, pod, deadline, user, result)));
  return result;
}

function isLeftAlone(pod: KubeObject): boolean {
  const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller);
  return owner?.kind === 'DaemonSet' || pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}

async function evictUntilGone(cluster: SimulatedCluster, pod: KubeObject, deadline: number, user: string, result: DrainResult): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  for (;;) {
    const answer = await cluster.write({ verb: 'evict', target: { resource: 'pods', namespace, name } }, user);
    const code = answer.kind === 'refused' ? ((answer.status as Failure).code ?? 500) : 201;
    result.evictions.push({ pod: `${namespace}/${name}`, code });
    if (code !== 429) break;
    if (cluster.clock.now() + evictionRetryMs > deadline) {
      result.finished = false;
      return;
    }
    await cluster.sleep(evictionRetryMs);
  }
  while (cluster.state.get('pods', namespace, name)?.metadata.uid === uid) {
    if (cluster.clock.now() + gonePollMs > deadline) {
      result.finished = false;
      return;
    }
    await cluster.sleep(gonePollMs);
  }
}

export function isManifest(value: unknown): value is JsonObject {
  return isObject(value) && typeof value.kind === 'string' && typeof value.apiVersion === 'string';
}
