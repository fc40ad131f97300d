import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../defaults';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { prepareForCreate, prepareForUpdate } from '../../strategy';
import { validateCreate, validateUpdate, warningsOf } from '../../validation';
import { releaseKinds } from '../release';

const now = Date.parse('2026-01-01T00:00:00Z');

function created(resource: string, fields: object, metadata: object = {}): KubeObject {
  const kind = releaseKinds.kindOf(resource);
  const object = { metadata: { name: 'x', ...(kind.namespaced ? { namespace: 'n' } : {}), ...metadata }, ...fields } as KubeObject;
  return prepareForCreate(kind, applyDefaults(kind, object), { now, uid: 'u' });
}

const errorsOf = (resource: string, object: KubeObject): string[] =>
  validateCreate(releaseKinds.kindOf(resource), object).map(fieldErrorText);

function updated(resource: string, old: KubeObject, fields: object): { object: KubeObject; errors: string[] } {
  const kind = releaseKinds.kindOf(resource);
  const object = prepareForUpdate(kind, applyDefaults(kind, { ...old, ...fields } as KubeObject), old);
  return { object, errors: [...new Set(validateUpdate(kind, object, old).map(fieldErrorText))] };
}

function cellsOf(resource: string, object: KubeObject): unknown[] {
  const table = printObjectTable(releaseKinds.kindOf(resource), object, { now, includeObject: 'None' }) as unknown as {
    rows: { cells: unknown[] }[];
  };
  return table.rows[0]?.cells ?? [];
}

describe('an EndpointSlice', () => {
  const slice = created('endpointslices.discovery.k8s.io', {
    addressType: 'IPv4',
    ports: [{ port: 80 }],
    endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: { a: 'b' } }, { addresses: ['10.0.0.2', '10.0.0.3', '10.0.0.4'] }],
  });

  it('names its ports, drops labels of topology and is printed short', () => {
    expect(slice.ports).toEqual([{ port: 80, name: '', protocol: 'TCP' }]);
    expect(slice.endpoints[0]).toEqual({ addresses: ['10.0.0.1'], conditions: {} });
    expect(cellsOf('endpointslices.discovery.k8s.io', slice).slice(0, 4)).toEqual([
      'x',
      'IPv4',
      '80',
      '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...',
    ]);
  });

  it('is another one when its labels change, and keeps its type', () => {
    const { object } = updated('endpointslices.discovery.k8s.io', slice, { metadata: { ...slice.metadata, labels: { a: 'b' } } });
    expect(object.metadata.generation).toBe(2);
    expect(updated('endpointslices.discovery.k8s.io', slice, { addressType: 'IPv6', endpoints: [] }).errors).toEqual([
      'addressType: Invalid value: "IPv6": field is immutable',
    ]);
  });

  it('takes addresses with zeros ahead and warns of them, but none that leads back to the machine', () => {
    const withAddress = (address: string) =>
      created('endpointslices.discovery.k8s.io', { addressType: 'IPv4', endpoints: [{ addresses: [address] }] });
    expect(errorsOf('endpointslices.discovery.k8s.io', withAddress('010.0.0.1'))).toEqual([]);
    expect(warningsOf(releaseKinds.kindOf('endpointslices.discovery.k8s.io'), withAddress('010.0.0.1'))).toEqual([
      'endpoints[0].addresses[0]: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
    ]);
    expect(errorsOf('endpointslices.discovery.k8s.io', withAddress('127.0.0.1'))).toEqual([
      'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ]);
  });
});

describe('an Ingress', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const withPath = (path: string, pathType = 'Prefix') =>
    created('ingresses.networking.k8s.io', { spec: { rules: [{ host: 'a.b', http: { paths: [{ path, pathType, backend }] } }] } });

  it('leads to somewhere, by paths that do not climb', () => {
    expect(errorsOf('ingresses.networking.k8s.io', withPath('/a'))).toEqual([]);
    expect(errorsOf('ingresses.networking.k8s.io', withPath('/a/../b'))).toEqual([
      'spec.rules[0].http.paths[0].path: Invalid value: "/a/../b": must not contain \'/../\'',
    ]);
    expect(errorsOf('ingresses.networking.k8s.io', withPath('', 'ImplementationSpecific'))).toEqual([]);
    expect(errorsOf('ingresses.networking.k8s.io', created('ingresses.networking.k8s.io', { spec: {} }))).toEqual([
      'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified',
    ]);
  });

  it('warns of the class in its annotation where it is created', () => {
    const annotated = created(
      'ingresses.networking.k8s.io',
      { spec: { defaultBackend: backend } },
      { annotations: { 'kubernetes.io/ingress.class': 'c' } },
    );
    const kind = releaseKinds.kindOf('ingresses.networking.k8s.io');
    expect(warningsOf(kind, annotated)).toEqual([
      'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
    ]);
    expect(warningsOf(kind, annotated, annotated)).toEqual([]);
  });
});

describe('a NetworkPolicy', () => {
  const policy = (spec: object) => created('networkpolicies.networking.k8s.io', { spec: { podSelector: {}, ...spec } });

  it('is about incoming traffic, and about outgoing where it says something of it', () => {
    expect(policy({}).spec?.policyTypes).toEqual(['Ingress']);
    expect(policy({ egress: [{}] }).spec?.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  it('excepts parts of a block only', () => {
    const except = (...ranges: string[]) => policy({ ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/16', except: ranges } }] }] });
    expect(errorsOf('networkpolicies.networking.k8s.io', except('10.0.1.0/24'))).toEqual([]);
    expect(errorsOf('networkpolicies.networking.k8s.io', except('10.0.0.0/16', '11.0.0.0/24'))).toEqual([
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/16": must be a strict subset of `cidr`',
      'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "11.0.0.0/24": must be a strict subset of `cidr`',
    ]);
  });
});

describe('a ServiceCIDR', () => {
  it('may get a range of the other family, and keeps the one that it has', () => {
    const object = created('servicecidrs.networking.k8s.io', { spec: { cidrs: ['10.0.0.0/24'] } });
    const change = (...cidrs: string[]) => updated('servicecidrs.networking.k8s.io', object, { spec: { cidrs } }).errors;
    expect(change('10.0.0.0/24', '2001:db8::/64')).toEqual([]);
    expect(change('10.1.0.0/24')).toEqual(['spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable']);
  });
});

describe('quotas and limits', () => {
  it('count what a scope is about', () => {
    const quota = (hard: object, scopes: string[]) => created('resourcequotas', { spec: { hard, scopes } });
    expect(errorsOf('resourcequotas', quota({ pods: '3' }, ['BestEffort']))).toEqual([]);
    expect(errorsOf('resourcequotas', quota({ cpu: '3' }, ['BestEffort']))).toEqual([
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ]);
  });

  it('fill in what a container gets from what it may have', () => {
    const range = created('limitranges', { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] } });
    expect(range.spec?.limits[0]).toMatchObject({ default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '1Mi' } });
    expect(errorsOf('limitranges', range)).toEqual([]);
  });
});
