import { describe, expect, it } from 'vitest';
import { objectKey, type GroupResource, type KubeObject } from '#libs/kernel';
import type { ResourceAttributes } from '../attributes';
import { NodeAuthorizer } from './node-authorizer';

const objects = new Map<GroupResource, Map<string, KubeObject>>();

function add(resource: GroupResource, namespace: string | undefined, name: string, rest: object = {}): void {
  const table = objects.get(resource) ?? new Map<string, KubeObject>();
  objects.set(resource, table.set(objectKey(namespace, name), { metadata: { namespace, name }, ...rest } as unknown as KubeObject));
}

add('pods', 'web', 'p', {
  spec: {
    nodeName: 'a',
    serviceAccountName: 'robot',
    imagePullSecrets: [{ name: 'pull' }],
    initContainers: [{ env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } }] }],
    containers: [{ envFrom: [{ configMapRef: { name: 'settings' } }] }],
    volumes: [
      { name: 'v', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'ca' } }] } },
      { name: 'data', persistentVolumeClaim: { claimName: 'claim' } },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: {} } },
    ],
    resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu-claim' }, { name: 'made' }],
  },
  status: { resourceClaimStatuses: [{ name: 'made', resourceClaimName: 'p-made-x' }] },
});
const mirror = { metadata: { namespace: 'web', name: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' } } };
add('pods', 'web', 'mirror', { ...mirror, spec: { nodeName: 'a', imagePullSecrets: [{ name: 'of-mirror' }] } });
add('pods', 'web', 'elsewhere', { spec: { nodeName: 'b', imagePullSecrets: [{ name: 'others' }] } });
const csi = {
  nodeStageSecretRef: { name: 'stage', namespace: 'storage' },
  controllerExpandSecretRef: { name: 'expand', namespace: 'storage' },
};
add('persistentvolumes', undefined, 'pv', { spec: { claimRef: { namespace: 'web', name: 'claim' }, csi } });
add('persistentvolumes', undefined, 'other-pv', { spec: { claimRef: { namespace: 'web', name: 'other' } } });
add('volumeattachments.storage.k8s.io', undefined, 'va', { spec: { nodeName: 'a' } });

const authorizer = new NodeAuthorizer({
  get: (resource, namespace, name) => objects.get(resource)?.get(objectKey(namespace, name)),
  list: (resource) => objects.get(resource)?.values() ?? [],
  podsOn: (node) => [...(objects.get('pods')?.values() ?? [])].filter(({ spec }) => spec?.nodeName === node),
});

const kubelet = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };
const asked = (verb: string, resource: string, rest: Partial<ResourceAttributes> = {}): ResourceAttributes => ({
  user: kubelet,
  verb,
  group: '',
  version: 'v1',
  resource,
  subresource: '',
  namespace: 'web',
  name: '',
  ...rest,
});
const may = (...question: Parameters<typeof asked>): boolean => authorizer.authorize(asked(...question)).decision === 'allow';
const why = (...question: Parameters<typeof asked>): string => authorizer.authorize(asked(...question)).reason;

describe('a node', () => {
  it.each(['pull', 'env', 'projected'])('reads the secret %s of its pod', (name) => expect(may('get', 'secrets', { name })).toBe(true));

  it.each(['others', 'of-mirror', 'nope', 'settings'])('does not read the secret %s', (name) => {
    expect(why('get', 'secrets', { name })).toBe("no relationship found between node 'a' and this object");
  });

  it('reads config maps, claims and accounts of its pods, in their namespace alone', () => {
    expect(['settings', 'ca'].map((name) => may('watch', 'configmaps', { name }))).toEqual([true, true]);
    expect(['claim', 'p-scratch'].map((name) => may('get', 'persistentvolumeclaims', { name }))).toEqual([true, true]);
    const claims = ['gpu-claim', 'p-made-x', 'made'].map((name) => may('get', 'resourceclaims', { group: 'resource.k8s.io', name }));
    expect(claims).toEqual([true, true, false]);
    expect(may('get', 'serviceaccounts', { name: 'robot' })).toBe(true);
    expect(may('get', 'configmaps', { name: 'ca', namespace: 'other' })).toBe(false);
  });

  it('reads the volumes of these claims, and the secrets that mount them', () => {
    expect(may('get', 'persistentvolumes', { namespace: '', name: 'pv' })).toBe(true);
    expect(may('get', 'persistentvolumes', { namespace: '', name: 'other-pv' })).toBe(false);
    expect(may('get', 'secrets', { namespace: 'storage', name: 'stage' })).toBe(true);
    expect(may('get', 'secrets', { namespace: 'storage', name: 'expand' })).toBe(false);
    expect(may('get', 'volumeattachments', { group: 'storage.k8s.io', namespace: '', name: 'va' })).toBe(true);
  });

  it('neither lists nor writes what it reads one by one', () => {
    expect(why('list', 'secrets')).toBe('No Object name found');
    expect(why('update', 'secrets', { name: 'pull' })).toBe('can only read resources of this type');
    expect(why('list', 'persistentvolumeclaims')).toBe('can only get individual resources of this type');
    expect(why('delete', 'serviceaccounts', { name: 'robot' })).toBe('can only create tokens for individual service accounts');
  });

  it('asks for tokens of the accounts of its pods', () => {
    expect(may('create', 'serviceaccounts', { subresource: 'token', name: 'robot' })).toBe(true);
    expect(may('create', 'serviceaccounts', { subresource: 'token', name: 'default' })).toBe(false);
  });

  it('is told apart by name and group', () => {
    expect(may('get', 'secrets', { name: 'pull', user: { ...kubelet, groups: ['system:authenticated'] } })).toBe(false);
    expect(may('get', 'secrets', { name: 'pull', user: { ...kubelet, name: 'system:node:b' } })).toBe(false);
    expect(why('get', 'secrets', { name: 'pull', user: { ...kubelet, name: 'system:node:' } })).toBe(
      'unknown node for user "system:node:"',
    );
  });
});
