import type { GroupResource, KubeObject } from '#libs/kernel';
import type { Given } from './process';
import { startProgram, type ProgramContainer } from './start-program';
import { World, type ClusterReader } from './world';

export const startOfTime = Date.parse('2026-01-01T12:00:00Z');

export const pod = {
  metadata: { name: 'p', namespace: 'default', uid: 'u', creationTimestamp: '', labels: { app: 'web' } },
  spec: {
    nodeName: 'node-1',
    containers: [{ name: 'c' }],
    volumes: [
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'keys', secret: { secretName: 'keys', items: [{ key: 'password', path: 'db/password' }] } },
      { name: 'scratch', emptyDir: {} },
    ],
  },
  status: { podIP: '10.128.0.2', phase: 'Running' },
} as KubeObject;

export const container: ProgramContainer = {
  name: 'c',
  env: [
    { name: 'COLOUR', value: 'red' },
    { name: 'BOTH', value: '$(COLOUR)-$$x' },
    { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
    { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } },
    { name: 'NONE', valueFrom: { secretKeyRef: { name: 'keys', key: 'none' } } },
  ],
  volumeMounts: [
    { name: 'config', mountPath: '/config' },
    { name: 'keys', mountPath: '/keys' },
    { name: 'scratch', mountPath: '/scratch' },
    { name: 'config', mountPath: '/app/mode', subPath: 'mode' },
  ],
};

const object = (name: string, more: object): KubeObject =>
  ({ metadata: { name, namespace: 'default', uid: name, creationTimestamp: '' }, ...more }) as KubeObject;

export const readyPod = object('web-1', {
  spec: { containers: [{ name: 'web', ports: [{ name: 'http', containerPort: 8080 }] }] },
  status: { phase: 'Running', podIP: '10.128.0.9', conditions: [{ type: 'Ready', status: 'True' }] },
});
readyPod.metadata.labels = { app: 'web' };

/** A cluster of a few objects. */
export function clusterOf(more: Partial<Record<GroupResource, KubeObject[]>> = {}): ClusterReader {
  const objects: Partial<Record<GroupResource, KubeObject[]>> = {
    configmaps: [object('settings', { data: { mode: 'fast', 'app.conf': 'one\ntwo\n' } })],
    secrets: [object('keys', { data: { password: Buffer.from('hush').toString('base64') } })],
    services: [
      object('web', { spec: { clusterIP: '10.96.1.1', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] } }),
      object('idle', { spec: { clusterIP: '10.96.1.2', selector: { app: 'idle' }, ports: [{ port: 80 }] } }),
    ],
    pods: [readyPod],
    ...more,
  };
  return {
    get: (resource, namespace, name) =>
      objects[resource]?.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
    list: (resource, namespace) =>
      (objects[resource] ?? []).filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
  };
}

/** What a command does: output, errors in brackets, waits in ms; `?` where it waits for input; then the exit code. */
export function run(command: readonly string[], input?: readonly Given[], isTerminal = false): string {
  const world = new World(clusterOf(), pod, startOfTime);
  const started = startProgram(command, pod, container, world, {
    at: startOfTime,
    isTerminal,
    hasInput: input !== undefined,
    unknown: 'not found',
  });
  if ('error' in started) return started.error;
  const given = [...(input ?? [])];
  let told = '';
  let next: Given | undefined;
  for (;;) {
    const { done, value } = started.process.next(next);
    next = undefined;
    if (done) return `${told}=${value}`;
    if ('out' in value) told += value.out.toString();
    else if ('err' in value) told += `[${value.err}]`;
    else if ('waitMs' in value) told += `(${value.waitMs})`;
    else if (given.length > 0) next = given.shift();
    else return `${told}?`;
  }
}

export const sh = (script: string): string => run(['sh', '-c', script]);
