import { configHash, configMirror, configSource, mirrorKey, type StaticFile } from '#libs/cluster-state';
import { applyDefaults, forbidden, referencedKind, releaseKinds, validateCreate, type FieldError } from '#libs/kube-api';
import { formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { hexOf } from '../pod-lifecycle/images';

const configSeen = 'kubernetes.io/config.seen';
/** A pod of a node is not driven away from it. */
const stays = { operator: 'Exists', effect: 'NoExecute' };

/** What stands for the pod's uid in everything the kubelet says: the same manifest in the same file has it again. */
export function hashOf({ manifest }: StaticFile, file: string, node: string): string {
  return hexOf(`static pod of ${node}: ${file}: ${JSON.stringify(manifest)}`).slice(0, 32);
}

/** The pod of a manifest as the API shows it (upstream `applyDefaults` of the file source, and the mirror client). */
export function mirrorOf(held: StaticFile, file: string, node: KubeObject): KubeObject {
  const { metadata = {}, spec = {} } = held.manifest as { metadata?: JsonObject; spec?: JsonObject };
  const { labels, annotations } = metadata as { labels?: JsonObject; annotations?: JsonObject };
  const nodeName = node.metadata.name;
  const hash = hashOf(held, file, nodeName);
  const [namespace, name] = mirrorKey(held.manifest, nodeName).split('/') as [string, string];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...(labels ? { labels } : {}),
      annotations: {
        ...annotations,
        [configHash]: hash,
        [configMirror]: hash,
        [configSeen]: formatTime(held.since),
        [configSource]: 'file',
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node.metadata.uid, controller: true }],
    },
    spec: { ...spec, nodeName, tolerations: [...((spec.tolerations as JsonObject[] | undefined) ?? []), stays] },
  } as unknown as KubeObject;
}

/** What keeps a manifest from being a pod: the kubelet makes nothing of such a file. Whoever reaches for objects of the API is none (PreventStaticPodAPIReferences). */
export function errorsOfStaticPod(mirror: KubeObject): FieldError[] {
  const kind = releaseKinds.kindOf('pods');
  const errors = validateCreate(kind, applyDefaults(kind, { ...mirror, metadata: { ...mirror.metadata, uid: 'u' } }));
  const reference = errors.length === 0 ? referencedKind(mirror) : undefined;
  return reference === undefined ? errors : [forbidden('spec', `static pods may not reference ${reference}`)];
}
