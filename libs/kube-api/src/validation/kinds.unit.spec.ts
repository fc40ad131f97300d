import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { fieldErrorText } from '../status';
import type { UpdatedSubresource } from '../strategy';
import { qualifiedKind, refuseUnconditionalUpdate, validateCreate, validateUpdate, warningsOf } from './validate';
import { releaseKinds } from '../kinds';

const kindOf = (name: string) => releaseKinds.kindOf(name);

function object(fields: Partial<KubeObject> = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { ...fields, metadata: { name: 'x', namespace: 'n', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata } };
}

const create = (resource: string, of: KubeObject) => validateCreate(kindOf(resource), of).map(fieldErrorText);
const update = (resource: string, of: KubeObject, old: KubeObject, subresource?: UpdatedSubresource) => [
  ...new Set(validateUpdate(kindOf(resource), of, old, subresource).map(fieldErrorText)),
];

describe('metadata', () => {
  const meta = (metadata: Partial<KubeObject['metadata']>) => create('configmaps', object({}, metadata))[0] ?? '';

  it('is checked field by field', () => {
    expect(meta({ namespace: '' })).toBe('metadata.namespace: Required value');
    expect(meta({ generation: -1 })).toBe('metadata.generation: Invalid value: -1: must be greater than or equal to 0');
    expect(meta({ annotations: { a: 'x'.repeat(262144) } })).toBe('metadata.annotations: Too long: may not be more than 262144 bytes');
    expect(meta({ annotations: { 'A.B/C': 'upper case is fine' } })).toBe('');
    expect(meta({ finalizers: ['orphan', 'foregroundDeletion'] })).toContain('finalizer orphan and foregroundDeletion cannot be both set');
    expect(meta({ managedFields: [{ manager: 'a\u0001', operation: 'Update' }] })).toContain('invalid character U+0001 (at position 1)');
    expect(create('namespaces', object({}))[0]).toBe('metadata.namespace: Forbidden: not allowed on this type');
  });

  it('keeps who the object is', () => {
    const old = object({}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] });
    expect(update('configmaps', object({}, { uid: 'other', deletionTimestamp: '2026-01-01T00:00:00Z' }), old)).toEqual([
      'metadata.uid: Invalid value: "other": field is immutable',
    ]);
    expect(update('configmaps', object({}, { ...old.metadata, finalizers: ['a/b', 'c/d'] }), old)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
    ]);
  });

  it('names kinds as answers do', () => {
    expect(qualifiedKind(kindOf('deployments.apps'))).toBe('Deployment.apps');
    expect(qualifiedKind(kindOf('events.events.k8s.io'))).toBe('Event');
    expect(refuseUnconditionalUpdate(kindOf('leases.coordination.k8s.io'), 'l').message).toBe(
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });
});

describe('secrets and config maps', () => {
  it('hold at most one mebibyte', () => {
    expect(create('configmaps', object({ data: { a: 'x'.repeat(1048577) } }))).toEqual([
      '[]: Too long: may not be more than 1048576 bytes',
    ]);
    expect(create('secrets', object({ data: { a: 'AAAA'.repeat(349526) } }))).toEqual([
      'data: Too long: may not be more than 1048576 bytes',
    ]);
  });

  it('have the keys of their type', () => {
    const secret = (type: string, data: Record<string, string> = {}) => create('secrets', object({ type, data }));
    expect(secret('Opaque')).toEqual([]);
    expect(secret('kubernetes.io/tls', { 'tls.crt': '' })).toEqual(['data[tls.key]: Required value']);
    expect(secret('kubernetes.io/basic-auth')).toEqual(['data[username]: Required value', 'data[password]: Required value']);
    expect(secret('kubernetes.io/ssh-auth')).toEqual(['data[ssh-privatekey]: Required value']);
    expect(secret('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': 'bm8=' })[0]).toContain('<secret contents redacted>');
    expect(secret('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': 'e30=' })).toEqual([]);
    expect(secret('kubernetes.io/service-account-token')).toEqual([
      'metadata.annotations[kubernetes.io/service-account.name]: Required value',
    ]);
  });

  it('are frozen when immutable', () => {
    const old = object({ type: 'Opaque', immutable: true, data: { a: 'eA==' } });
    expect(update('secrets', object({ type: 'Opaque', immutable: true, data: {} }), old)).toEqual([
      'data: Forbidden: field is immutable when `immutable` is set',
    ]);
    expect(update('secrets', object({ type: 'other', data: { a: 'eA==' } }), old)).toEqual([
      'type: Invalid value: "other": field is immutable',
      'immutable: Forbidden: field is immutable when `immutable` is set',
    ]);
  });
});

describe('services', () => {
  const good = {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
  };
  const service = (spec: object) => create('services', object({ spec: { ...good, ...spec } }));

  it('are named by DNS-1035 and reach valid ports', () => {
    expect(service({})).toEqual([]);
    expect(create('services', object({ spec: good }, { name: '1x' }))[0]).toMatch(
      /^metadata\.name: Invalid value: "1x": a DNS-1035 label must consist/,
    );
    const port = { port: 80, targetPort: 'http', protocol: 'TCP' };
    expect(service({ ports: [port, { ...port, name: 'b' }] })).toEqual([
      'spec.ports[0].name: Required value',
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ]);
    expect(service({ ports: [{ ...port, nodePort: 30000 }] })).toEqual([
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ]);
  });

  it('agree with their addresses', () => {
    expect(service({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'] })).toEqual([
      'spec.clusterIPs: Invalid value: ["10.0.0.2"]: first value must match `clusterIP`',
    ]);
    expect(service({ clusterIP: '::1', clusterIPs: ['::1'], ipFamilies: ['IPv4'] })).toEqual([
      'spec.clusterIPs[0]: Invalid value: "::1": expected an IPv4 value as indicated by `ipFamilies[0]`',
    ]);
    expect(service({ type: 'NodePort', externalTrafficPolicy: 'Cluster', clusterIP: 'None', clusterIPs: ['None'] })).toEqual([
      'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services',
    ]);
    expect(service({ externalIPs: ['127.0.0.1'], externalTrafficPolicy: 'Cluster' })[0]).toContain('may not be in the loopback range');
    expect(service({ sessionAffinity: 'ClientIP' })).toEqual([
      'spec.sessionAffinityConfig: Required value: when session affinity type is ClientIP',
    ]);
  });

  it('keep the address they have', () => {
    const old = object({ spec: { ...good, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] } });
    const moved = object({ spec: { ...good, clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] } });
    expect(update('services', moved, old)).toEqual(['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set']);
    const balanced = object({ spec: good, status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } } });
    expect(update('services', balanced, old, 'status')).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });
});

describe('workloads', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [] } };

  it('keep their selector and count no less than nothing', () => {
    const old = object({ spec: { selector: { matchLabels: { a: 'b' } }, template }, status: { collisionCount: 2 } });
    const wanted = object({ spec: { selector: { matchLabels: { a: 'c' } }, template: { ...template, metadata: { labels: { a: 'c' } } } } });
    expect(update('replicasets.apps', wanted, old).at(-1)).toBe(
      'spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable',
    );
    const status = { replicas: 1, readyReplicas: 2, availableReplicas: -1, collisionCount: 1 };
    expect(update('deployments.apps', { ...old, status }, old, 'status')).toEqual([
      'status.availableReplicas: Invalid value: -1: must be greater than or equal to 0',
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ]);
  });

  it('roll by at most everything', () => {
    const spec = (rollingUpdate: object, more: object = {}) => ({
      selector: { matchLabels: { a: 'b' } },
      template,
      strategy: { type: 'RollingUpdate', rollingUpdate },
      ...more,
    });
    const texts = (of: object) => create('deployments.apps', object({ spec: of })).filter((text) => !text.startsWith('spec.template'));
    expect(texts(spec({ maxUnavailable: '101%', maxSurge: 0 }))).toEqual([
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ]);
    expect(texts(spec({ maxUnavailable: 1, maxSurge: -1 }))).toEqual([
      'spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0',
    ]);
    expect(texts(spec({ maxUnavailable: 1, maxSurge: 0 }, { minReadySeconds: 700, progressDeadlineSeconds: 600 }))).toEqual([
      'spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds',
    ]);
  });
});

describe('namespaces, nodes, leases', () => {
  it('follow their own rules', () => {
    const namespace = object({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }, { namespace: undefined });
    expect(create('namespaces', namespace)).toEqual([]);
    expect(update('namespaces', { ...namespace, status: { phase: 'Terminating' } }, namespace, 'status')).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
    expect(update('namespaces', { ...namespace, spec: { finalizers: ['odd'] } }, namespace, 'finalize')).toEqual([
      'spec.finalizers: Invalid value: "odd": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    const node = object({ spec: { externalID: 'a' }, status: {} }, { namespace: undefined });
    const address = { type: 'InternalIP', address: '1.1.1.1' };
    expect(update('nodes', { ...node, spec: { externalID: 'b' }, status: { addresses: [address, address] } }, node)).toEqual([
      'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"1.1.1.1"}',
      'spec.externalID: Forbidden: may not be updated',
    ]);
    const lease = object({ spec: { leaseDurationSeconds: 15 } });
    expect(update('leases.coordination.k8s.io', object({ spec: { leaseDurationSeconds: -1 } }), lease)).toEqual([
      'spec.leaseDurationSeconds: Invalid value: -1: must be greater than 0',
    ]);
  });

  it('of unknown kinds check metadata alone', () => {
    expect(create('limitranges', object({ spec: { anything: 1 } }))).toEqual([]);
    expect(update('limitranges', object({}, { uid: 'v' }), object())).toEqual(['metadata.uid: Invalid value: "v": field is immutable']);
  });
});

describe('warnings', () => {
  const container = {
    name: 'c',
    env: [{ name: 'A' }, { name: 'A' }],
    ports: [{ containerPort: 1 }, { containerPort: 1 }],
    resources: { requests: { memory: '100m' } },
  };

  it('name what is accepted but hardly meant', () => {
    const spec = {
      containers: [container],
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      imagePullSecrets: [{}],
      topologySpreadConstraints: [{}],
    };
    expect(warningsOf(kindOf('pods'), object({ spec }, { name: 'a.b' }))).toEqual([
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.imagePullSecrets[0].name: invalid empty name ""',
      'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
    ]);
    expect(warningsOf(kindOf('nodes'), object({ spec: { externalID: 'x' } }))).toEqual([
      'spec.externalID: this field is deprecated, and is unused by Kubernetes',
    ]);
    expect(warningsOf(kindOf('services'), object({ spec: { type: 'ClusterIP', externalName: 'x' } }))).toHaveLength(1);
  });

  it('come again for a workload only when its template may have changed', () => {
    const deployment = object({ spec: { template: { spec: { containers: [container] } } } }, { generation: 1 });
    expect(warningsOf(kindOf('deployments.apps'), deployment)).toHaveLength(3);
    expect(warningsOf(kindOf('deployments.apps'), deployment, deployment)).toEqual([]);
    expect(warningsOf(kindOf('pods'), object({ spec: { containers: [container] } }), object())).toEqual([]);
  });
});
