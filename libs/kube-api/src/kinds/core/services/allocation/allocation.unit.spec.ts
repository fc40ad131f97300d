import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { releaseKinds } from '../../..';
import { applyDefaults } from '../../../../defaults';
import { isFailure, type Failure } from '../../../../status';
import { prepareForUpdate } from '../../../../strategy';
import { allocateService } from '.';
import type { ServiceRanges } from './ranges';

const services = releaseKinds.kindOf('services');
const metadata = { name: 'shop', namespace: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const service = (spec: object): KubeObject =>
  applyDefaults(services, { metadata, spec: { ports: [{ port: 80 }], ...spec } } as unknown as KubeObject);
const ranges: ServiceRanges = {
  clusterIPs: '10.0.0.0/24',
  usesIP: (ip) => ip === '10.0.0.16',
  usesPort: (port) => port === 30086,
  chance: () => 0,
};
const given = (spec: object, old?: KubeObject, others: Partial<ServiceRanges> = {}) =>
  allocateService(service(spec), old, { ...ranges, ...others }) as KubeObject;
const refused = (spec: object, old?: KubeObject, others: Partial<ServiceRanges> = {}): string => {
  const result = allocateService(service(spec), old, { ...ranges, ...others });
  return isFailure(result) ? `${result.code} ${result.message}` : `accepted ${JSON.stringify(result.spec)}`;
};
const causes = (failure: KubeObject | Failure): string[] =>
  isFailure(failure) ? (failure.details?.causes ?? []).map(({ field = '' }) => field) : [];
const portsOf = (object: KubeObject): unknown[] => object.spec.ports.map(({ nodePort }: { nodePort?: number }) => nodePort);

describe('a new Service', () => {
  it('is given an address of the upper part of the range, and families', () => {
    expect(given({})).toMatchObject({
      spec: { clusterIP: '10.0.0.17', clusterIPs: ['10.0.0.17'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
    });
    expect(given({ clusterIP: 'None', selector: { a: 'b' } })).toMatchObject({ spec: { clusterIPs: ['None'], ipFamilies: ['IPv4'] } });
    expect(given({ clusterIP: 'None' })).toMatchObject({ spec: { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' } });
    expect(given({ type: 'ExternalName' }).spec).not.toHaveProperty('clusterIP');
  });

  it.each([
    [{ clusterIP: '1.2.3.4' }, 'failed to allocate IP 1.2.3.4: the provided network does not match the current range'],
    [{ clusterIP: '10.0.0.255' }, 'the provided network does not match the current range'],
    [{ clusterIP: '10.0.0.16' }, 'provided IP is already allocated'],
    [{ clusterIPs: ['10.0.0.9'] }, 'must be empty when `clusterIP` is not specified'],
    [{ clusterIP: 'fd00::1' }, 'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
    [
      { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      'provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
    [{ type: 'NodePort', ports: [{ port: 80, nodePort: 30086 }] }, 'provided port is already allocated'],
  ])('cannot have %o', (spec, text) => {
    expect(refused(spec)).toMatch(/^422 /);
    expect(refused(spec)).toContain(text);
  });

  it('gets one port of nodes for a number of a port, in the upper part of the range', () => {
    const both = [
      { port: 80, name: 'a' },
      { port: 80, name: 'b', protocol: 'UDP' },
    ];
    expect(portsOf(given({ type: 'NodePort', ports: [...both, { port: 81, name: 'c' }] }))).toEqual([30087, 30087, 30088]);
    expect(portsOf(given({ type: 'NodePort', ports: [both[0], { ...both[1], nodePort: 31000 }] }))).toEqual([31000, 31000]);
    expect(portsOf(given({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: both }))).toEqual([undefined, undefined]);
  });

  it('of a balancer that asks nodes for their health gets a port for that', () => {
    const balancer = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80, nodePort: 31000 }] };
    expect(given(balancer).spec.healthCheckNodePort).toBe(30087);
    expect(refused({ ...balancer, healthCheckNodePort: 31000 })).toBe(
      '500 Internal error occurred: failed to allocate requested HealthCheck NodePort 31000: provided port is already allocated',
    );
  });

  it('is told when nothing is left', () => {
    expect(refused({}, undefined, { usesIP: () => true })).toBe(
      '500 Internal error occurred: failed to allocate a serviceIP: range is full',
    );
    const none = { usesPort: () => true };
    expect(refused({ type: 'NodePort' }, undefined, none)).toBe(
      '500 Internal error occurred: failed to allocate a nodePort: range is full',
    );
    // Before what is left to those who ask, all else is given.
    expect(portsOf(given({ type: 'NodePort' }, undefined, { usesPort: (port) => port >= 30086 }))).toEqual([30000]);
  });

  it('in a dry run takes any port that nobody has, and shows numbers behind the range', () => {
    const dry = { dryRun: true };
    expect(portsOf(given({ type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }, undefined, dry))).toEqual([80]);
    const mixed = [
      { port: 80, name: 'a' },
      { port: 81, name: 'b' },
    ];
    expect(portsOf(given({ type: 'NodePort', ports: mixed }, undefined, dry))).toEqual([32769, 32770]);
    expect(given({}, undefined, dry).spec.clusterIP).toBe('10.0.0.0');
    expect(given({ clusterIP: '10.0.0.16' }, undefined, dry).spec.clusterIP).toBe('10.0.0.16');
    expect(refused({ clusterIP: '1.2.3.4' }, undefined, dry)).toContain('is not in the valid range. The range of valid IPs is 10.0.0.0/24');
  });
});

describe('a changed Service', () => {
  const old = given({ type: 'NodePort', ports: [{ port: 80, name: 'a' }] });
  const changed = (spec: object): KubeObject => {
    const object = { ...service(spec), metadata: old.metadata };
    return prepareForUpdate(services, allocateService(object, old, ranges) as KubeObject, old);
  };

  it('keeps what it was given', () => {
    expect(changed({ type: 'NodePort', ports: [{ port: 8080, name: 'a' }] })).toMatchObject({
      spec: { clusterIP: '10.0.0.17', ipFamilies: ['IPv4'], ports: [{ port: 8080, nodePort: 30087 }] },
    });
    expect(changed({ type: 'ClusterIP', ports: old.spec.ports }).spec.ports).toEqual([expect.not.objectContaining({ nodePort: 30087 })]);
  });

  it('gives up its address when it becomes a mere name, and gets another one when it is more again', () => {
    const name = changed({ ...old.spec, type: 'ExternalName', externalName: 'x.y' });
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) expect(name.spec).not.toHaveProperty(field);
    expect(given({ type: 'ClusterIP' }, name).spec.clusterIP).toBe('10.0.0.17');
  });

  it('that was made without an address stays without one', () => {
    const bare = service({});
    expect(given({ sessionAffinity: 'ClientIP' }, bare).spec).not.toHaveProperty('clusterIP');
  });

  it('has no port of nodes twice', () => {
    const ports = [
      { port: 80, name: 'a', nodePort: 31000 },
      { port: 81, name: 'b', nodePort: 31000 },
    ];
    expect(refused({ type: 'NodePort', ports }, old)).toBe('500 duplicate nodePort: {TCP 31000}');
    expect(causes(allocateService(service({ type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }), old, ranges))).toEqual([
      'spec.ports[0].nodePort',
    ]);
  });
});
