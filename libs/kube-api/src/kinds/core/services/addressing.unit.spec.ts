import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { releaseKinds } from '../..';
import { isFailure, type Failure, type FieldError } from '../../../status';
import { allocateService } from './allocation';
import { refuseInvalid, validateCreate, validateUpdate } from '../../../validation/validate';

const services = releaseKinds.kindOf('services');
const metadata = { name: 'shop', namespace: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const ranges = { clusterIPs: '10.0.0.0/24', usesIP: () => false, usesPort: () => false, chance: () => 0 };
const plain = {
  type: 'ClusterIP',
  ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
  selector: { app: 'shop' },
  sessionAffinity: 'None',
  internalTrafficPolicy: 'Cluster',
  clusterIP: '10.0.0.11',
  clusterIPs: ['10.0.0.11'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
};
const service = (spec: object): KubeObject => ({ metadata, spec: { ...plain, ...spec } }) as unknown as KubeObject;
const told = (errors: readonly FieldError[]): string[] =>
  (refuseInvalid(services, 'shop', errors).details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);

describe('the addresses that a Service asks for', () => {
  it.each([
    ['two families for one stack', { ipFamilies: ['IPv4', 'IPv6'] }, 'spec.ipFamilyPolicy', 'when multiple IP families are specified'],
    ['two stacks on a cluster of one', { ipFamilyPolicy: 'RequireDualStack' }, 'spec.ipFamilyPolicy', 'not configured for dual-stack'],
    ['an unknown family', { ipFamilies: ['ipv4'] }, 'spec.ipFamilies[0]', 'Unsupported value'],
    ['a text that is no address', { clusterIP: 'x', clusterIPs: ['x'] }, 'spec.clusterIPs[0]', 'must be a valid IP address'],
  ])('are refused before anything else is looked at: %s', (_, spec, field, text) => {
    const wrongElsewhere = { ...spec, sessionAffinity: 'nope', ports: [] };
    for (const old of [undefined, service({ type: 'NodePort' })]) {
      const causes = (allocateService(service(wrongElsewhere), old, ranges) as Failure).details?.causes ?? [];
      expect(causes.map(({ message }) => message)).toEqual([expect.stringContaining(text)]);
      expect(causes.map((cause) => cause.field)).toEqual([field]);
    }
  });

  it('may be of any families where there is neither address nor selector', () => {
    const headless = { clusterIP: 'None', clusterIPs: ['None'], selector: undefined, ipFamilies: ['IPv4', 'IPv6'] };
    const free = service({ ...headless, ipFamilyPolicy: 'RequireDualStack' });
    expect(isFailure(allocateService(free, undefined, ranges))).toBe(false);
    expect(told(validateCreate(services, free))).toEqual([]);
  });

  it('are only looked at afresh where they are written', () => {
    expect(told(validateUpdate(services, service({ sessionAffinity: 'nope' }), service({})))[0]).toContain('spec.sessionAffinity');
    expect(validateUpdate(services, service({ ipFamilyPolicy: 'RequireDualStack' }), service({}), 'status')).toEqual([]);
  });
});

it('a class of balancers is refused twice on a Service of another type, as upstream does when one is changed', () => {
  const errors = validateUpdate(services, service({ loadBalancerClass: 'x' }), service({}));
  expect(errors.map(({ field }) => field)).toEqual(['spec.loadBalancerClass', 'spec.loadBalancerClass']);
});
