import type { Container } from '../../pod-types';
import { specOf } from '../../pod-types';
import { goQuote } from '#libs/kube-api';
import type { KubeObject } from '#libs/kernel';
import { podInFull } from '../back-off';
import { allOf, type Found, type References } from './references';

interface KeyReference {
  name?: string;
  key?: string;
  optional?: boolean;
}

interface EnvSources {
  env?: { valueFrom?: { configMapKeyRef?: KeyReference; secretKeyRef?: KeyReference } }[];
  envFrom?: { configMapRef?: KeyReference; secretRef?: KeyReference }[];
}

/**
 * Whether the runtime can be told how to make the container: what its environment refers to is there (upstream
 * `makeEnvironmentVariables`), and it does not run as root where it must not.
 * @param imageUser undefined: nothing is said about the image's user; such an image is taken to fit
 */
export function configOf(pod: KubeObject, container: Container, references: References, imageUser: number | undefined): Found {
  const environment = allOf(environmentOf(container as EnvSources, references));
  if (environment.error !== undefined) return environment;
  const error = rootError(pod, container, imageUser);
  return error === undefined ? environment : { since: 0, error };
}

function* environmentOf({ env = [], envFrom = [] }: EnvSources, references: References): Iterable<Found> {
  for (const { configMapRef, secretRef } of envFrom) {
    if (configMapRef) yield references.object('configmap', configMapRef);
    if (secretRef) yield references.object('secret', secretRef);
  }
  for (const { valueFrom } of env) {
    if (valueFrom?.configMapKeyRef) yield references.key('configmap', valueFrom.configMapKeyRef);
    if (valueFrom?.secretKeyRef) yield references.key('secret', valueFrom.secretKeyRef);
  }
}

/** Upstream `verifyRunAsNonRoot`. */
function rootError(pod: KubeObject, { name, securityContext }: Container, imageUser: number | undefined): string | undefined {
  const ofPod = specOf(pod).securityContext;
  if (!(securityContext?.runAsNonRoot ?? ofPod?.runAsNonRoot)) return undefined;
  const place = `(pod: ${goQuote(podInFull(pod.metadata))}, container: ${name})`;
  const user = securityContext?.runAsUser ?? ofPod?.runAsUser;
  if (user === 0) return `container's runAsUser breaks non-root policy ${place}`;
  if (user !== undefined || imageUser !== 0) return undefined;
  return `container has runAsNonRoot and image will run as root ${place}`;
}
