import type { KubeObject } from '#libs/kernel';
import { fieldOf, resourceFieldOf } from './downward';
import type { World } from './world';

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

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

/** The variables of a container, in the kubelet's order. What a reference does not find is left out. */
export function environmentOf(pod: KubeObject, container: EnvSource, world: World, isTerminal: boolean): Map<string, string> {
  const env = new Map([
    ['PATH', path],
    ['HOSTNAME', hostnameOf(pod)],
  ]);
  if (isTerminal) env.set('TERM', 'xterm');
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const values = configMapRef ? configMapData(world, configMapRef.name ?? '') : secretData(world, secretRef?.name ?? '');
    for (const [key, value] of values ?? []) env.set(`${prefix}${key}`, value.toString());
  }
  for (const variable of container.env ?? []) {
    const value = variable.value === undefined ? referredTo(pod, container, variable, world) : withReferences(variable.value, env);
    if (value !== undefined) env.set(variable.name, value);
  }
  env.set('HOME', '/root');
  return env;
}

export function hostnameOf(pod: KubeObject): string {
  return (pod.spec?.hostname as string | undefined) || pod.metadata.name;
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
export function withReferences(text: string, env: ReadonlyMap<string, string>): string {
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
