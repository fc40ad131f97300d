import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { applyDefaults } from '../../defaults';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { prepareForCreate } from '../../strategy';
import { validateCreate } from '../../validation';
import { releaseKinds } from '../release';

const now = Date.parse('2026-01-01T00:00:00Z');
const kind = releaseKinds.kindOf('apiservices.apiregistration.k8s.io');

function created(name: string, spec: object): KubeObject {
  return prepareForCreate(kind, applyDefaults(kind, { metadata: { name }, spec, status: { conditions: [] } } as unknown as KubeObject), {
    now,
    uid: 'u',
  });
}

const errorsOf = (name: string, spec: object): string[] => validateCreate(kind, created(name, spec)).map(fieldErrorText);
const cellsOf = (object: KubeObject): unknown[] | undefined =>
  (printObjectTable(kind, object, { now, includeObject: 'None' }) as unknown as { rows: { cells: unknown[] }[] }).rows[0]?.cells;
const priorities = { groupPriorityMinimum: 100, versionPriority: 10 };

describe('an APIService', () => {
  it('that the server answers itself is available from the start; of another one nothing is known', () => {
    const local = created('v1.apps', { group: 'apps', version: 'v1', ...priorities });
    expect(local.status).toEqual({
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ],
    });
    expect(cellsOf(local)).toEqual(['v1.apps', 'Local', 'True', '0s']);
    const remote = created('v1.example.com', {
      group: 'example.com',
      version: 'v1',
      ...priorities,
      service: { namespace: 'a', name: 'b' },
    });
    expect(remote).toMatchObject({ spec: { service: { port: 443 } }, status: {} });
    expect(cellsOf(remote)).toEqual(['v1.example.com', 'a/b', 'Unknown', '0s']);
    const refused = {
      ...remote,
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound' }] },
    } as KubeObject;
    expect(cellsOf(refused)?.[2]).toBe('False (ServiceNotFound)');
  });

  it('is named after its version and group', () => {
    expect(errorsOf('x', { group: 'apps', version: 'v1', ...priorities })).toEqual([
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.apps"',
    ]);
    expect(errorsOf('v2.', { version: 'v2', ...priorities })).toEqual([
      'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
    ]);
  });

  it('has priorities within bounds', () => {
    expect(errorsOf('v1.a', { group: 'a', version: 'v1', groupPriorityMinimum: 20_001 })).toEqual([
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ]);
  });

  it('is asked for over a connection, or not: what goes with one does not go with the other', () => {
    const spec = { group: 'a', version: 'v1', ...priorities, caBundle: 'YWJj', insecureSkipTLSVerify: true };
    expect(errorsOf('v1.a', spec)).toEqual([
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ]);
    expect(errorsOf('v1.a', { ...spec, service: { port: 70_000 } })).toEqual([
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ]);
  });
});
