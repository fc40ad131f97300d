import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { restrictNode, type NodeWrite } from './node-restriction';
import { restrictNodeToken, type TokenAsked } from './node-token';

const kubelet = { name: 'system:node:a', groups: ['system:nodes'] };
const node = (name: string, rest: object = {}): KubeObject =>
  ({ metadata: { name, uid: `uid-${name}` }, ...rest }) as unknown as KubeObject;
const refusal = (write: Partial<NodeWrite> & Pick<NodeWrite, 'resource' | 'operation' | 'object'>, user = kubelet): string | undefined =>
  restrictNode({ name: write.object.metadata.name, ...write }, user, (name) => (name === 'a' ? node('a') : undefined))?.message;

describe('labels that a node gives itself', () => {
  const labelled = (...keys: string[]): KubeObject =>
    node('a', { metadata: { name: 'a', labels: Object.fromEntries(keys.map((key) => [key, 'v'])) } });
  const update = (...keys: string[]): string | undefined =>
    refusal({ resource: 'nodes', operation: 'UPDATE', object: labelled(...keys), old: node('a') });

  it('are those of kubelets, and those that are nobody’s', () => {
    expect(update('kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'beta.kubernetes.io/os', 'example.com/a', 'x')).toBeUndefined();
    expect(update('x.kubelet.kubernetes.io/y', 'node.kubernetes.io/z')).toBeUndefined();
  });

  it('are not those by which pods are kept to nodes', () => {
    expect(update('node-restriction.kubernetes.io/gpu', 'x.node-restriction.kubernetes.io/y', 'plain')).toBe(
      'nodes "a" is forbidden: is not allowed to modify labels: node-restriction.kubernetes.io/gpu, x.node-restriction.kubernetes.io/y',
    );
    expect(update('node-role.kubernetes.io/master', 'foo.k8s.io/x')).toMatch(/foo.k8s.io\/x, node-role.kubernetes.io\/master$/);
    expect(refusal({ resource: 'nodes', operation: 'CREATE', object: labelled('kubernetes.io/foo') })).toBe(
      'nodes "a" is forbidden: node "a" is not allowed to set the following labels: kubernetes.io/foo',
    );
    expect(
      refusal({ resource: 'nodes', operation: 'UPDATE', object: node('a'), old: labelled('node-restriction.kubernetes.io/gpu') }),
    ).toMatch(/not allowed to modify labels/);
  });
});

describe('a node', () => {
  it('writes about itself, and leaves its taints alone', () => {
    expect(refusal({ resource: 'nodes', operation: 'UPDATE', subresource: 'status', object: node('b'), old: node('b') })).toBe(
      'nodes "b" is forbidden: node "a" is not allowed to modify node "b"',
    );
    const tainted = node('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } });
    expect(refusal({ resource: 'nodes', operation: 'UPDATE', object: tainted, old: node('a') })).toMatch(/not allowed to modify taints$/);
    expect(refusal({ resource: 'nodes', operation: 'CREATE', object: tainted })).toBeUndefined();
    const lease = { resource: 'leases.coordination.k8s.io', operation: 'CREATE', namespace: 'kube-node-lease' } as const;
    expect(refusal({ ...lease, object: node('a') })).toBeUndefined();
    expect(refusal({ ...lease, object: node('b') })).toMatch(/can only access node lease with the same name as the requesting node$/);
    expect(refusal({ resource: 'csinodes.storage.k8s.io', operation: 'DELETE', object: node('b') })).toMatch(/CSINode with the same name/);
  });

  const owner = { apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'uid-a', controller: true };
  const annotations = { 'kubernetes.io/config.mirror': 'x' };
  const mirror = (metadata: object, spec: object = {}): KubeObject =>
    ({
      metadata: { name: 'm', annotations, ownerReferences: [owner], ...metadata },
      spec: { nodeName: 'a', ...spec },
    }) as unknown as KubeObject;
  const create = (object: KubeObject): string | undefined => refusal({ resource: 'pods', operation: 'CREATE', object });

  it('makes images of what it runs by itself, and no other pods', () => {
    expect(create(mirror({}))).toBeUndefined();
    expect(create(mirror({ annotations: {} }))).toBe(
      'pods "m" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "a" can only create mirror pods',
    );
    expect(create(mirror({}, { nodeName: 'b' }))).toMatch(/can only create pods with spec.nodeName set to itself$/);
    expect(create(mirror({ ownerReferences: [] }))).toMatch(/with an owner reference set to itself$/);
    expect(create(mirror({ ownerReferences: [{ ...owner, controller: false }] }))).toMatch(/a controller owner reference set to itself$/);
    expect(create(mirror({ ownerReferences: [{ ...owner, uid: 'z' }] }))).toMatch(/node a UID mismatch: expected z got uid-a$/);
    expect(create(mirror({}, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }))).toMatch(
      /node "a" can not create pods that reference persistentvolumeclaims$/,
    );
  });

  it('deletes, evicts and reports on the pods that it has', () => {
    const other = mirror({}, { nodeName: 'b' });
    expect(refusal({ resource: 'pods', operation: 'DELETE', object: other })).toMatch(
      /can only delete pods with spec.nodeName set to itself$/,
    );
    expect(refusal({ resource: 'pods', operation: 'CREATE', subresource: 'eviction', object: other })).toBe(
      'pods "m" is forbidden: node a can only evict pods with spec.nodeName set to itself',
    );
    const status = { resource: 'pods', operation: 'UPDATE', subresource: 'status' } as const;
    expect(refusal({ ...status, object: other, old: other })).toMatch(/can only update pod status for pods/);
    expect(refusal({ ...status, object: mirror({ labels: { a: 'b' } }), old: mirror({}) })).toMatch(
      /cannot update labels through pod status$/,
    );
    expect(refusal({ ...status, object: mirror({}), old: mirror({}) })).toBeUndefined();
  });

  it('is whoever is named so and in the group; all others write what they may', () => {
    expect(refusal({ resource: 'nodes', operation: 'UPDATE', object: node('b') }, { name: 'system:node:a', groups: [] })).toBeUndefined();
    expect(refusal({ resource: 'pods', operation: 'DELETE', object: mirror({}) }, { ...kubelet, name: 'system:node:' })).toMatch(
      /could not determine node from user "system:node:"$/,
    );
  });
});

describe('a token that a node asks for', () => {
  const sources = [{ serviceAccountToken: { path: 'token' } }, { serviceAccountToken: { path: 'vault', audience: 'vault' } }];
  const pod = node('p', { spec: { nodeName: 'a', volumes: [{ name: 'v', projected: { sources } }] } });
  const access = { authorize: () => ({ decision: 'none', reason: '' }) } as never;
  const ask = (given: Partial<TokenAsked>, found = pod): string | undefined =>
    restrictNodeToken(
      { namespace: 'web', account: 'robot', audiences: [], boundTo: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p' }, ...given },
      { user: kubelet, access },
      (resource) => (resource === 'pods' ? found : undefined),
    )?.message;

  it('is of a pod that it runs', () => {
    expect(ask({})).toBeUndefined();
    expect(ask({ boundTo: null })).toBe('serviceaccounts "robot" is forbidden: node requested token not bound to a pod');
    expect(ask({ boundTo: { apiVersion: 'v1', kind: 'Pod', name: 'p' } })).toMatch(/with a pod binding without a uid$/);
    expect(ask({}, { ...pod, spec: { ...pod.spec, nodeName: 'b' } })).toMatch(/bound to a pod scheduled on a different node$/);
  });

  it('is for audiences that the pod names', () => {
    expect(ask({ audiences: ['vault'] })).toBeUndefined();
    expect(ask({ audiences: ['db'] })).toBe(
      'serviceaccounts "robot" is forbidden: audience "db" not found in pod spec volume, ' +
        'system:node:a is not authorized to request tokens for this audience',
    );
    expect(ask({ audiences: ['vault', 'db'] })).toMatch(/node may only request 0 or 1 audiences$/);
  });
});
