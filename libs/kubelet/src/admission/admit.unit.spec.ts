import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { admissionFailure } from './admit';

const node = (more: { allocatable?: Record<string, string>; labels?: Record<string, string>; taints?: object[] } = {}): KubeObject => ({
  metadata: {
    name: 'node-1',
    uid: 'n',
    creationTimestamp: '',
    labels: { 'kubernetes.io/os': 'linux', disk: 'ssd', gen: '3', ...more.labels },
  },
  spec: { taints: more.taints },
  status: {
    allocatable: { cpu: '4', memory: '8Gi', pods: '3', 'ephemeral-storage': '100Gi', 'example.com/gpu': '2', ...more.allocatable },
  },
});

const pod = (spec: Record<string, unknown> = {}, labels?: Record<string, string>): KubeObject => ({
  metadata: { name: 'p', namespace: 'default', uid: 'p', creationTimestamp: '', labels },
  spec: { containers: [{ name: 'app' }], ...spec },
});

const asking = (requests: Record<string, string>): KubeObject => pod({ containers: [{ name: 'app', resources: { requests } }] });
const holding = (hostPort: number, more: object = {}): KubeObject =>
  pod({ containers: [{ name: 'app', ports: [{ hostPort, protocol: 'TCP', ...more }] }] });
const affinity = (...nodeSelectorTerms: object[]): KubeObject =>
  pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } });

const failure = (candidate: KubeObject, others: KubeObject[] = [], on = node()): string => {
  const found = admissionFailure(candidate, on, others);
  return found ? `${found.reason}: ${found.message}` : 'admitted';
};

describe('resources', () => {
  it.each<[name: string, candidate: KubeObject, others: KubeObject[], expected: string]>([
    ['nothing asked', pod(), [], 'admitted'],
    ['all that is left', asking({ cpu: '2500m' }), [asking({ cpu: '1500m' })], 'admitted'],
    [
      'cpu',
      asking({ cpu: '3' }),
      [asking({ cpu: '1900m' })],
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 3000, used: 1900, capacity: 4000",
    ],
    [
      'memory',
      asking({ memory: '9Gi' }),
      [],
      "OutOfmemory: Node didn't have enough resource: memory, requested: 9663676416, used: 0, capacity: 8589934592",
    ],
    [
      'ephemeral storage',
      asking({ 'ephemeral-storage': '200Gi' }),
      [],
      "OutOfephemeral-storage: Node didn't have enough resource: ephemeral-storage, requested: 214748364800, used: 0, capacity: 107374182400",
    ],
    [
      'pods first',
      asking({ cpu: '9' }),
      [pod(), pod(), pod()],
      "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    ],
    [
      'an extended resource',
      asking({ 'example.com/gpu': '2' }),
      [asking({ 'example.com/gpu': '1' })],
      "OutOfexample.com/gpu: Node didn't have enough resource: example.com/gpu, requested: 2, used: 1, capacity: 2",
    ],
    ['an extended resource that the node does not have', asking({ 'example.com/fpga': '1' }), [], 'admitted'],
    [
      'huge pages that the node does not have',
      asking({ 'hugepages-2Mi': '2Mi' }),
      [],
      "OutOfhugepages-2Mi: Node didn't have enough resource: hugepages-2Mi, requested: 2097152, used: 0, capacity: 0",
    ],
  ])('%s', (_name, candidate, others, expected) => {
    expect(failure(candidate, others)).toBe(expected);
  });
});

describe('node affinity', () => {
  const mismatch = "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
  const expression = (key: string, operator: string, ...values: string[]): object => ({ matchExpressions: [{ key, operator, values }] });
  it.each<[name: string, candidate: KubeObject, expected: string]>([
    ['selector holds', pod({ nodeSelector: { disk: 'ssd' } }), 'admitted'],
    ['selector does not', pod({ nodeSelector: { disk: 'hdd' } }), mismatch],
    ['a label named like an inherited property', pod({ nodeSelector: { constructor: 'x' } }), mismatch],
    ['one of two terms', affinity(expression('disk', 'In', 'hdd'), expression('gen', 'Gt', '2')), 'admitted'],
    ['NotIn', affinity(expression('disk', 'NotIn', 'ssd')), mismatch],
    ['DoesNotExist', affinity(expression('zone', 'DoesNotExist')), 'admitted'],
    ['Lt', affinity(expression('gen', 'Lt', '3')), mismatch],
    ['unknown operator', affinity(expression('gen', 'Near', '3')), mismatch],
    ['the name of the node', affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }), 'admitted'],
    ['an empty term', affinity({}), mismatch],
    ['no term at all', affinity(), mismatch],
  ])('%s', (_name, candidate, expected) => {
    expect(failure(candidate)).toBe(expected);
  });
});

describe('host ports', () => {
  const taken = "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
  it.each<[name: string, candidate: KubeObject, other: KubeObject, expected: string]>([
    ['the same', holding(80), holding(80), taken],
    ['another number', holding(80), holding(81), 'admitted'],
    ['another protocol', holding(80, { protocol: 'UDP' }), holding(80), 'admitted'],
    ['two addresses', holding(80, { hostIP: '10.0.0.1' }), holding(80, { hostIP: '10.0.0.2' }), 'admitted'],
    ['one address and all addresses', holding(80, { hostIP: '10.0.0.1' }), holding(80), taken],
  ])('%s', (_name, candidate, other, expected) => {
    expect(failure(candidate, [other])).toBe(expected);
  });
});

describe('taints', () => {
  const execute = [{ key: 'dedicated', value: 'x', effect: 'NoExecute' }];
  const refused = "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
  it.each<[name: string, taints: object[], tolerations: object[], expected: string]>([
    ['NoSchedule is not the kubelet’s business', [{ key: 'dedicated', effect: 'NoSchedule' }], [], 'admitted'],
    ['NoExecute is', execute, [], refused],
    ['tolerated by value', execute, [{ key: 'dedicated', value: 'x', effect: 'NoExecute' }], 'admitted'],
    ['another value', execute, [{ key: 'dedicated', value: 'y' }], refused],
    ['another effect', execute, [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }], refused],
    ['everything tolerated', execute, [{ operator: 'Exists' }], 'admitted'],
  ])('%s', (_name, taints, tolerations, expected) => {
    expect(failure(pod({ tolerations }), [], node({ taints }))).toBe(expected);
  });
});

it.each<[name: string, candidate: KubeObject, expected: string]>([
  [
    'os label',
    pod({}, { 'kubernetes.io/os': 'windows' }),
    "PodOSSelectorNodeLabelDoesNotMatch: Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  ],
  ['os field', pod({ os: { name: 'windows' } }), "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS"],
  [
    'strict groups',
    pod({ securityContext: { supplementalGroupsPolicy: 'Strict' } }),
    'SupplementalGroupsPolicyNotSupported: SupplementalGroupsPolicy=Strict is not supported in this node',
  ],
  [
    'unsafe sysctl',
    pod({ securityContext: { sysctls: [{ name: 'kernel.msgmax' }] } }),
    'SysctlForbidden: forbidden sysctl: "kernel.msgmax" not allowlisted',
  ],
  ['safe sysctl', pod({ securityContext: { sysctls: [{ name: 'net/ipv4/tcp_syncookies' }] } }), 'admitted'],
  [
    'net sysctl of the host',
    pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] } }),
    'SysctlForbidden: forbidden sysctl: "net.ipv4.tcp_rmem" not allowed with host net enabled',
  ],
])('%s', (_name, candidate, expected) => {
  expect(failure(candidate)).toBe(expected);
});
