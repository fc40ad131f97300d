import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { adminAccessErrors } from '../../admission/device-admin-access';
import { applyDefaults } from '../../defaults';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { prepareForCreate, prepareForUpdate } from '../../strategy';
import { validateCreate, validateUpdate } from '../../validation';
import type { ResourceKind } from '../resource-kind';
import { releaseKinds } from '../release';

const now = Date.parse('2026-01-01T00:00:00Z');
const claims = releaseKinds.kindOf('resourceclaims.resource.k8s.io');
const slices = releaseKinds.kindOf('resourceslices.resource.k8s.io');

function made(kind: ResourceKind, spec: object): KubeObject {
  const metadata = { name: 'x', ...(kind.namespaced ? { namespace: 'n' } : {}) };
  const sent = { metadata, spec } as unknown as KubeObject;
  return prepareForCreate(kind, applyDefaults(kind, sent), { now, uid: 'u', sent });
}

const errorsOf = (kind: ResourceKind, spec: object): string[] => validateCreate(kind, made(kind, spec)).map(fieldErrorText);
const asking = (...requests: object[]): object => ({ devices: { requests } });
const gpu = { name: 'gpu', exactly: { deviceClassName: 'gpu' } };

describe('a ResourceClaim', () => {
  it('asks for one device unless it says otherwise', () => {
    const claim = made(
      claims,
      asking(gpu, { name: 'any', firstAvailable: [{ name: 'all', deviceClassName: 'c', allocationMode: 'All' }] }),
    );
    expect(claim.spec?.devices.requests[0].exactly).toMatchObject({ allocationMode: 'ExactCount', count: 1 });
    expect(claim.spec?.devices.requests[1].firstAvailable[0]).not.toHaveProperty('count');
  });

  it('refers to its requests, and to their alternatives by both names', () => {
    const request = { name: 'any', firstAvailable: [{ name: 'small', deviceClassName: 'c' }] };
    const constrained = (name: string): string[] =>
      errorsOf(claims, { devices: { requests: [request], constraints: [{ requests: [name], matchAttribute: 'd.example/numa' }] } });
    expect(constrained('any')).toEqual([]);
    expect(constrained('any/small')).toEqual([]);
    expect(constrained('any/large')).toEqual([
      'spec.devices.constraints[0].requests[0]: Invalid value: "any/large": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
    ]);
  });

  const allocated = { devices: { results: [{ request: 'gpu', driver: 'd.example', pool: 'node-1', device: 'g0' }] } };
  const device = { driver: 'd.example', pool: 'node-1', device: 'g0' };
  const withStatus = (old: KubeObject, status: object): KubeObject =>
    prepareForUpdate(claims, { ...old, metadata: { ...old.metadata, labels: { a: 'b' } }, status }, old, 'status');

  it('is reserved only once it is allocated, for devices of its own', () => {
    const claim = made(claims, asking(gpu));
    const reservedFor = [{ resource: 'pods', name: 'p', uid: '1' }];
    const errors = (status: object): string[] => validateUpdate(claims, withStatus(claim, status), claim, 'status').map(fieldErrorText);
    expect(errors({ reservedFor })).toEqual(['status.reservedFor: Forbidden: may not be specified when `allocated` is not set']);
    expect(errors({ reservedFor, allocation: allocated })).toEqual([]);
    const networkData = { ips: ['2001:DB8::1/64', '10.0.0.1/24', '0:0:0:0:0:0:0:1/128', 'fe80:0:0:1::/64'] };
    expect(errors({ allocation: allocated, devices: [{ ...device, networkData }] })).toEqual([
      'status.devices[0].networkData.ips[0]: Invalid value: "2001:DB8::1/64": must be in canonical form ("2001:db8::1/64")',
      'status.devices[0].networkData.ips[2]: Invalid value: "0:0:0:0:0:0:0:1/128": must be in canonical form ("::1/128")',
    ]);
    expect(errors({ devices: [device] })).toEqual([
      'status.devices[0]: Invalid value: {"Driver":{},"Pool":{},"Device":{},"ShareID":{}}: must be an allocated device in the claim',
    ]);
  });

  it('forgets what was said of a device that it no longer has, and changes nothing but its status', () => {
    const claim = { ...made(claims, asking(gpu)), status: { allocation: allocated, devices: [device] } } as KubeObject;
    const freed = withStatus(claim, { devices: [device] });
    expect(freed.status).toEqual({});
    expect(freed.metadata.labels).toBeUndefined();
  });

  it('shows its state', () => {
    const stateOf = (status: object, metadata: object = {}): unknown => {
      const claim = made(claims, asking(gpu));
      return printObjectTable(claims, { ...claim, metadata: { ...claim.metadata, ...metadata }, status }, { now }).rows[0]?.cells[1];
    };
    expect(stateOf({})).toBe('pending');
    expect(stateOf({ allocation: allocated, reservedFor: [{}] })).toBe('allocated,reserved');
    expect(stateOf({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })).toBe('deleted');
  });

  it('gets at devices of others only in a namespace that says so', () => {
    const claim = made(claims, asking(gpu, { name: 'all', exactly: { deviceClassName: 'gpu', adminAccess: true } }));
    const namespace = (labels: Record<string, string>): KubeObject => ({ metadata: { name: 'n', labels } }) as unknown as KubeObject;
    expect(adminAccessErrors(claim, undefined, namespace({})).map(({ field }) => field)).toEqual(['spec.devices.requests[1].adminAccess']);
    expect(adminAccessErrors(claim, undefined, namespace({ 'resource.kubernetes.io/admin-access': 'true' }))).toEqual([]);
  });
});

describe('a ResourceSlice', () => {
  const pool = { name: 'node-1', generation: 1, resourceSliceCount: 1 };
  const slice = (rest: object): object => ({ driver: 'd.example', pool, ...rest });

  it('is of one node, of some or of all', () => {
    expect(errorsOf(slices, slice({ nodeName: 'n' }))).toEqual([]);
    expect(errorsOf(slices, slice({}))).toEqual([
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ]);
    // Of a feature that is off: dropped, and so not there.
    expect(errorsOf(slices, slice({ perDeviceNodeSelection: true }))).toHaveLength(1);
  });

  it('has devices whose attributes have one value each', () => {
    const attributes = { ok: { version: '1.2.3-rc.1+b' }, no: { version: '1.2' }, two: { int: 1, bool: true }, 'd.example/': { int: 1 } };
    expect(errorsOf(slices, slice({ nodeName: 'n', devices: [{ name: 'g0', attributes }] }))).toEqual([
      'spec.devices[0].attributes[d.example/]: Required value: the name must not be empty',
      'spec.devices[0].attributes[no].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
      'spec.devices[0].attributes[two]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null}: exactly one value must be specified',
    ]);
  });
});
