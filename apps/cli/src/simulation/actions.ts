import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import {
  decodeObject,
  kindsOf,
  releaseKinds,
  type Failure,
  type KindCatalogue,
  type PatchType,
  type ResourceKind,
  type Target,
} from '#libs/kube-api';
import type { WriteResult } from '#libs/control-loop';
import { CliError } from '../cli-error';
import type { DrainCluster } from './drain';
import type { SimulatedCluster } from './simulated-cluster';

/** `kubectl apply` of one manifest: created when absent, merged into what is there otherwise. */
export async function applyManifest(cluster: SimulatedCluster, manifest: JsonObject, user = 'admin'): Promise<WriteResult> {
  const { kind, object } = readManifest(manifest, kindsOf(cluster.state));
  const namespace = kind.namespaced ? (object.metadata.namespace ?? 'default') : undefined;
  const { name } = object.metadata;
  const present = name ? cluster.state.get(kind.storage, namespace, name) : undefined;
  if (!present) return cluster.write({ verb: 'create', resource: kind.groupResource, namespace, object }, user);
  return cluster.write(
    { verb: 'patch', target: { resource: kind.groupResource, namespace, name }, patchType: 'strategic', patch: manifest },
    user,
  );
}

/** @throws CliError when the manifest is of no served kind or does not read as one. */
export function readManifest(manifest: JsonObject, kinds: KindCatalogue = releaseKinds): { kind: ResourceKind; object: KubeObject } {
  const { apiVersion, kind: name } = manifest;
  const kind = typeof apiVersion === 'string' && typeof name === 'string' ? kinds.findKind(apiVersion, name) : undefined;
  if (!kind)
    throw new CliError(`no kind "${String(name)}" in version "${String(apiVersion)}"`, 'A manifest begins with apiVersion and kind.');
  const decoded = decodeObject(kind, JSON.stringify(manifest), { fieldValidation: 'Strict' });
  if (!decoded.ok) throw new CliError(decoded.status.message);
  return { kind, object: decoded.object };
}

export function patchObject(
  cluster: Pick<SimulatedCluster, 'write'>,
  target: Target,
  patch: Json,
  patchType: PatchType,
  user = 'admin',
): Promise<WriteResult> {
  return cluster.write({ verb: 'patch', target, patchType, patch }, user);
}

export function scaleObject(
  cluster: Pick<SimulatedCluster, 'write'>,
  target: Target,
  replicas: number,
  user = 'admin',
): Promise<WriteResult> {
  return patchObject(cluster, target, { spec: { replicas } }, 'merge', user);
}

/** The code and, of a refusal, the message: what a client would have been answered. */
export function answerOf(result: WriteResult): { code: number; message?: string } {
  if (result.kind === 'refused') {
    const { code, message } = result.status as Failure;
    return { code: code ?? 500, message };
  }
  return { code: result.kind !== 'unchanged' && result.created ? 201 : 200 };
}

/** A simulated cluster as `kubectl drain` sees it. */
export function drainable(cluster: SimulatedCluster, user = 'admin'): DrainCluster {
  const target = ({ metadata: { namespace, name } }: KubeObject): Target => ({ resource: 'pods', namespace, name });
  return {
    now: () => cluster.clock.now(),
    sleep: (ms) => cluster.sleep(ms),
    cordon: async (node) =>
      void (await patchObject(cluster, { resource: 'nodes', name: node }, { spec: { unschedulable: true } }, 'merge', user)),
    podsOn: (node) => Promise.resolve([...cluster.state.indices.podsOnNode(node).values()]),
    evict: async (pod) => {
      const answer = answerOf(await cluster.write({ verb: 'evict', target: target(pod) }, user));
      return answer.code === 200 ? { code: 201 } : answer;
    },
    isThere: (pod) =>
      Promise.resolve(cluster.state.get('pods', pod.metadata.namespace, pod.metadata.name)?.metadata.uid === pod.metadata.uid),
  };
}
