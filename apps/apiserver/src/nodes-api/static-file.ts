import { fact } from '#libs/events';
import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { decodeObject, invalid, releaseKinds, type Failure } from '#libs/kube-api';
import { errorsOfStaticPod, mirrorOf } from '#libs/kubelet';
import type { Befalling } from './node-actions';

/** Upstream's file source passes over names that begin with a dot. */
const fileName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$/;

/**
 * A manifest comes into the folder of static pods of a node's kubelet, takes the place of another, or goes. A kubelet passes over a file that is
 * no pod; whoever sends one here is told.
 */
export function staticFile(node: KubeObject, { file, manifest }: JsonObject, now: number): Befalling {
  if (typeof file !== 'string' || !fileName.test(file)) return { problem: 'file has to be the name of a file, such as web.yaml' };
  const { name } = node.metadata;
  if (manifest === undefined) return { facts: [fact('StaticPodFileChanged', { node: name, file })] };
  const read = readPod(manifest);
  if (!('manifest' in read)) return read;
  const mirror = mirrorOf({ manifest: read.manifest, since: now }, file, node);
  const errors = errorsOfStaticPod(mirror);
  if (errors.length > 0) return { refused: invalid('Pod', mirror.metadata.name, errors) };
  return { facts: [fact('StaticPodFileChanged', { node: name, file, manifest: read.manifest })] };
}

function readPod(manifest: Json): { manifest: JsonObject } | { refused: Failure } | { problem: string } {
  if (!isObject(manifest) || manifest.kind !== 'Pod') return { problem: 'manifest has to be an object of kind Pod' };
  const decoded = decodeObject(releaseKinds.kindOf('pods'), JSON.stringify(manifest));
  return decoded.ok ? { manifest: decoded.object as unknown as JsonObject } : { refused: decoded.status };
}
