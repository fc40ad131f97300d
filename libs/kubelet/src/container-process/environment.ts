import type { KubeObject } from '#libs/kernel';
import { fieldOf, resourceFieldOf } from './downward';
import { serviceVariables } from './service-variables';
import { EnvironmentVariables } from './variables';
import type { World } from './world';

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Characters of a hostname. */
const hostnameMax = 63;

interface KeyReference {
  name?: string;
  key?: string;
}

interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { fieldPath?: string };
    resourceFieldRef?: { containerName?: string; resource?: string; divisor?: string };
    configMapKeyRef?: KeyReference;
    secretKeyRef?: KeyReference;
  };
}

/** What the environment of a container is made from. */
export interface EnvSource {
  name: string;
  env?: EnvVar[];
  envFrom?: { prefix?: string; configMapRef?: { name?: string }; secretRef?: { name?: string } }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

/**
 * The variables of a container, in the kubelet's order. What a reference does not find is left out.
 * @param startedAt of the container, ms since the epoch
 */
export function environmentOf(
  pod: KubeObject,
  container: EnvSource,
  world: World,
  { isTerminal, startedAt }: { isTerminal: boolean; startedAt: number },
): EnvironmentVariables {
  const env = new EnvironmentVariables([
    ['PATH', path],
    ['HOSTNAME', hostnameOf(pod)],
  ]);
  env.imply(serviceVariables(pod, world, startedAt));
  if (isTerminal) env.set('TERM', 'xterm');
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const values = configMapRef ? configMapData(world, configMapRef.name ?? '') : secretData(world, secretRef?.name ?? '');
    for (const [key, value] of values ?? []) env.set(`${prefix}${key}`, value.toString());
  }
  for (const variable of container.env ?? []) {
    const { name, value } = variable;
    if (value === undefined) env.set(name, () => referredTo(pod, container, variable, world));
    else if (value.includes('$')) env.set(name, referringTo(value, env.copy()));
    else env.set(name, value);
  }
  env.set('HOME', '/root');
  return env;
}

/** @param before what was set before it */
function referringTo(value: string, before: EnvironmentVariables): () => string {
  return () => withReferences(value, before);
}

/** A pod in its node's network has its node's name. */
export function hostnameOf({ metadata, spec }: KubeObject): string {
  if (spec?.hostNetwork && spec.nodeName) return String(spec.nodeName);
  return ((spec?.hostname as string | undefined) || metadata.name).slice(0, hostnameMax).replace(/[-.]+$/, '');
}

function referredTo(pod: KubeObject, container: EnvSource, { valueFrom = {} }: EnvVar, world: World): string | undefined {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef) return fieldOf(pod, fieldRef.fieldPath ?? '');
  if (resourceFieldRef) return resourceFieldOf(pod, { containerName: container.name, ...resourceFieldRef }, () => world.allocatable());
  if (configMapKeyRef)
    return configMapData(world, configMapKeyRef.name ?? '')
      ?.get(configMapKeyRef.key ?? '')
      ?.toString();
  if (secretKeyRef)
    return secretData(world, secretKeyRef.name ?? '')
      ?.get(secretKeyRef.key ?? '')
      ?.toString();
  // An empty value that is not written.
  return '';
}

/** `$(NAME)` of a variable that was set before. */
export function withReferences(text: string, env: Pick<EnvironmentVariables, 'get'>): string {
  return text.replace(/\$\$|\$\(([\w.-]+)\)/g, (whole, name: string | undefined) => (name === undefined ? '$' : (env.get(name) ?? whole)));
}

/** By key; undefined: there is no such ConfigMap. */
export function configMapData(world: World, name: string): Map<string, string> | undefined {
  const map = world.object('configmaps', name) as { data?: Record<string, string>; binaryData?: Record<string, string> } | undefined;
  if (!map) return undefined;
  return new Map([...Object.entries(map.data ?? {}), ...Object.entries(map.binaryData ?? {}).map(decoded)]);
}

/** By key; undefined: there is no such Secret. */
export function secretData(world: World, name: string): Map<string, string> | undefined {
  const secret = world.object('secrets', name) as { data?: Record<string, string> } | undefined;
  return secret && new Map(Object.entries(secret.data ?? {}).map(decoded));
}

function decoded([key, value]: [string, string]): [string, string] {
  return [key, Buffer.from(value, 'base64').toString('utf8')];
}
