import type { KubeObject } from '#libs/kernel';
import { goQuote } from '../status/go-value';
import { isPathSegmentName } from '../validation/formats';
import type { Refusal } from './priority';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

export const tokenMountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumePrefix = 'kube-api-access-';
const mirrorAnnotation = 'kubernetes.io/config.mirror';
/** Seconds: an hour and a little, so that kubelets renew before the hour is over. */
const tokenSeconds = 3607;

export function isMirrorPod(pod: KubeObject): boolean {
  return pod.metadata.annotations !== undefined && Object.hasOwn(pod.metadata.annotations, mirrorAnnotation);
}

/**
 * A new pod runs as a service account (`default` where it names none), mounts its token unless account or pod say no, and pulls
 * images with the account's secrets where it has none of its own. `suffix`: five characters that end the token volume's name.
 */
export function admitServiceAccount(
  pod: KubeObject,
  find: (namespace: string, name: string) => KubeObject | undefined,
  suffix: string,
): KubeObject | Refusal {
  if (isMirrorPod(pod)) return admitMirrorPod(pod);
  const namespace = pod.metadata.namespace ?? '';
  const name: string = pod.spec?.serviceAccountName || 'default';
  const account = find(namespace, name);
  if (!account) return { refusal: `error looking up service account ${namespace}/${name}: ${whyMissing(name)}` };
  let spec: Loose = { ...pod.spec, serviceAccountName: name, serviceAccount: name };
  const automount: boolean = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (automount) spec = withToken(spec, suffix);
  const secrets: { name: string }[] = account.imagePullSecrets ?? [];
  if (!spec.imagePullSecrets?.length && secrets.length > 0) spec.imagePullSecrets = secrets.map((secret) => ({ name: secret.name }));
  return { ...pod, spec };
}

/** Upstream looks a name up twice, the second time by a request, which some names do not fit into. */
function whyMissing(name: string): string {
  const texts = isPathSegmentName(name);
  return texts.length === 0 ? `serviceaccount ${goQuote(name)} not found` : `invalid resource name ${goQuote(name)}: [${texts.join(' ')}]`;
}

/** The kubelet's image of a static pod is not changed, and must not reach for anything in the API. */
function admitMirrorPod(pod: KubeObject): KubeObject | Refusal {
  const { serviceAccountName, volumes = [] } = pod.spec ?? {};
  if (serviceAccountName) return { refusal: 'a mirror pod may not reference service accounts' };
  if (namesSecret(pod.spec)) return { refusal: 'a mirror pod may not reference secrets' };
  const token = (volumes as Loose[]).some(({ projected }) => projected?.sources?.some((source: Loose) => source.serviceAccountToken));
  return token ? { refusal: 'a mirror pod may not use ServiceAccountToken volume projections' } : pod;
}

function namesSecret(spec: Loose): boolean {
  const containers: Loose[] = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return (
    spec?.imagePullSecrets?.length > 0 ||
    containers.some(
      ({ env, envFrom }) =>
        env?.some((variable: Loose) => variable.valueFrom?.secretKeyRef) || envFrom?.some((source: Loose) => source.secretRef),
    ) ||
    (spec?.volumes ?? []).some(({ secret, projected }: Loose) => secret || projected?.sources?.some((source: Loose) => source.secret))
  );
}

function withToken(spec: Loose, suffix: string): Loose {
  const volumes: Loose[] = spec.volumes ?? [];
  const present = volumes.find(({ name }) => typeof name === 'string' && name.startsWith(volumePrefix));
  const name: string = present?.name ?? `${volumePrefix}${suffix}`;
  let mounted = false;
  const mount = (container: Loose): Loose => {
    const mounts: Loose[] = container.volumeMounts ?? [];
    if (mounts.some(({ mountPath }) => mountPath === tokenMountPath)) return container;
    mounted = true;
    return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath: tokenMountPath }] };
  };
  const changed = { ...spec };
  if (spec.initContainers) changed.initContainers = spec.initContainers.map(mount);
  if (spec.containers) changed.containers = spec.containers.map(mount);
  if (!mounted) return spec;
  if (!present) changed.volumes = [...volumes, tokenVolume(name)];
  return changed;
}

function tokenVolume(name: string): Loose {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
      ],
      defaultMode: 420,
    },
  };
}
