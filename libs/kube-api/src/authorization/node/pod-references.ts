import type { KubeObject } from '#libs/kernel';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** What a pod refers to by name, in its own namespace. */
export type ReferredKind = 'secrets' | 'configmaps' | 'persistentvolumeclaims' | 'resourceclaims.resource.k8s.io' | 'serviceaccounts';

/** Whether a pod refers to it (upstream `Graph.AddPod`). A mirror pod refers to nothing: nodes make those themselves. */
export function refersTo(pod: KubeObject, kind: ReferredKind, name: string): boolean {
  if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return false;
  switch (kind) {
    case 'serviceaccounts':
      return pod.spec?.serviceAccountName === name;
    case 'persistentvolumeclaims':
      return claimsOf(pod).includes(name);
    case 'resourceclaims.resource.k8s.io':
      return deviceClaims(pod).includes(name);
    default:
      return referencesOf(pod, kind).includes(name);
  }
}

/** Names of the secrets or config maps that a pod takes from, in its environment, its volumes or for its images. */
export function referencesOf(pod: KubeObject, kind: 'secrets' | 'configmaps'): string[] {
  const { imagePullSecrets, volumes } = pod.spec ?? {};
  const found: Loose[] =
    kind === 'secrets'
      ? [
          ...listOf(imagePullSecrets).map(({ name }) => name),
          ...ofEnvironment(pod, 'secretKeyRef', 'secretRef'),
          ...listOf(volumes).flatMap(secretsOf),
        ]
      : [...ofEnvironment(pod, 'configMapKeyRef', 'configMapRef'), ...listOf(volumes).flatMap(configMapsOf)];
  return found.filter((name) => typeof name === 'string' && name !== '');
}

/** Names of the claims of a pod, those that were made for it among them. */
export function claimsOf({ metadata, spec }: KubeObject): string[] {
  return listOf(spec?.volumes).flatMap((volume) => {
    if (volume.persistentVolumeClaim) return [volume.persistentVolumeClaim.claimName];
    return volume.ephemeral ? [`${metadata.name}-${volume.name}`] : [];
  });
}

function deviceClaims({ spec, status }: KubeObject): string[] {
  const made = listOf(status?.resourceClaimStatuses);
  const named = listOf(spec?.resourceClaims).map(
    ({ name, resourceClaimName }) => resourceClaimName ?? made.find((claim) => claim.name === name)?.resourceClaimName,
  );
  return [...named, status?.extendedResourceClaimStatus?.resourceClaimName].filter((name) => typeof name === 'string' && name !== '');
}

/** In containers of whatever sort. */
function ofEnvironment({ spec }: KubeObject, inValue: string, inSource: string): Loose[] {
  const containers = [...listOf(spec?.initContainers), ...listOf(spec?.containers), ...listOf(spec?.ephemeralContainers)];
  return containers.flatMap(({ env, envFrom }) => [
    ...listOf(env).map(({ valueFrom }) => valueFrom?.[inValue]?.name),
    ...listOf(envFrom).map((source) => source[inSource]?.name),
  ]);
}

/** Kinds of volumes with a `secretRef`. */
const withSecretRef = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'];

function secretsOf(volume: Loose): Loose[] {
  return [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    volume.csi?.nodePublishSecretRef?.name,
    ...withSecretRef.map((kind) => volume[kind]?.secretRef?.name),
    ...listOf(volume.projected?.sources).map(({ secret }) => secret?.name),
  ];
}

function configMapsOf(volume: Loose): Loose[] {
  return [volume.configMap?.name, ...listOf(volume.projected?.sources).map(({ configMap }) => configMap?.name)];
}

/** Whether kubelets have to read this secret to mount a volume. Without a namespace of its own it is in that of the claim. */
export function volumeNeedsSecret({ spec }: KubeObject, namespace: string, name: string): boolean {
  const ofClaim: string | undefined = spec?.claimRef?.namespace;
  const is = (reference: Loose): boolean => reference?.name === name && (reference.namespace || ofClaim) === namespace;
  const { azureFile, csi } = spec ?? {};
  return (
    is(azureFile && { name: azureFile.secretName, namespace: azureFile.secretNamespace }) ||
    withSecretRef.some((kind) => is(spec?.[kind]?.secretRef)) ||
    is(csi?.nodePublishSecretRef) ||
    is(csi?.nodeStageSecretRef) ||
    is(csi?.nodeExpandSecretRef)
  );
}

function listOf(value: Loose): Loose[] {
  return Array.isArray(value) ? value : [];
}
