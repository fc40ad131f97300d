import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../defaults';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { prepareForCreate, prepareForUpdate, scaleOf } from '../../strategy';
import { validateCreate, validateUpdate, warningsOf } from '../../validation';
import { releaseKinds } from '../release';

const kindOf = (name: string) => releaseKinds.kindOf(name);
const context = { now: Date.parse('2026-01-01T00:00:00Z'), uid: 'u' };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

/** As it is once it has been created. */
function created(resource: string, spec: object, metadata: object = {}): KubeObject {
  const kind = kindOf(resource);
  const object = { metadata: { name: 'x', namespace: 'n', ...metadata }, spec } as KubeObject;
  return prepareForCreate(kind, applyDefaults(kind, object), context);
}

const errorsOf = (resource: string, object: KubeObject) => validateCreate(kindOf(resource), object).map(fieldErrorText);

function updated(resource: string, old: KubeObject, spec: object): { object: KubeObject; errors: string[] } {
  const kind = kindOf(resource);
  const object = prepareForUpdate(kind, applyDefaults(kind, { ...old, spec: { ...old.spec, ...spec } } as KubeObject), old);
  return { object, errors: [...new Set(validateUpdate(kind, object, old).map(fieldErrorText))] };
}

describe('a StatefulSet', () => {
  const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
  const mounting = {
    ...template,
    spec: { containers: [{ ...template.spec.containers[0], volumeMounts: [{ name: 'data', mountPath: '/d' }] }] },
  };
  const spec = { selector: { matchLabels: { app: 'a' } }, template: mounting, volumeClaimTemplates: [claim] };

  it('has its claims as volumes of its pods, though its template does not name them', () => {
    expect(errorsOf('statefulsets.apps', created('statefulsets.apps', spec))).toEqual([]);
    const without = created('statefulsets.apps', { ...spec, volumeClaimTemplates: [] });
    expect(errorsOf('statefulsets.apps', without)).toEqual(['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"']);
  });

  it('keeps claims and service name for life', () => {
    const old = created('statefulsets.apps', spec);
    expect(updated('statefulsets.apps', old, { replicas: 5, minReadySeconds: 3 }).errors).toEqual([]);
    expect(updated('statefulsets.apps', old, { serviceName: 'other' }).errors).toEqual([
      expect.stringMatching(/^spec: Forbidden: updates to statefulset spec for fields other than 'replicas'/),
    ]);
  });

  it('warns about claims of a part of a byte, at creation and at every update', () => {
    const small = { ...claim, spec: { ...claim.spec, resources: { requests: { storage: '500m' } } } };
    const set = created('statefulsets.apps', { ...spec, volumeClaimTemplates: [small] });
    const kind = kindOf('statefulsets.apps');
    const text = 'resources.requests[storage]: fractional byte value "500m" is invalid, must be an integer';
    expect(warningsOf(kind, set)).toEqual([`spec.volumeClaimTemplates[0].${text}`]);
    expect(warningsOf(kind, set, set)).toEqual([`spec.volumeClaimTemplates[0].Spec.${text}`]);
  });
});

describe('a DaemonSet', () => {
  const spec = { selector: { matchLabels: { app: 'a' } }, template };
  const generation = ({ metadata }: KubeObject) => metadata.annotations?.['deprecated.daemonset.template.generation'];

  it('counts the changes of its template, whatever a client says of them', () => {
    const old = created('daemonsets.apps', spec);
    expect(generation(old)).toBe('1');
    const claimed = created('daemonsets.apps', spec, { annotations: { 'deprecated.daemonset.template.generation': '7' } });
    expect(generation(claimed)).toBe('7');
    expect(generation(updated('daemonsets.apps', old, { minReadySeconds: 1 }).object)).toBe('1');
    const changed = { ...template, spec: { containers: [{ name: 'c', image: 'j' }] } };
    const { object } = updated('daemonsets.apps', old, { template: changed });
    expect([generation(object), object.metadata.generation]).toEqual(['2', 2]);
  });

  it('takes pods away before their successors come or after, not both', () => {
    const rolling = (maxUnavailable: unknown, maxSurge: unknown) =>
      errorsOf(
        'daemonsets.apps',
        created('daemonsets.apps', { ...spec, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } } }),
      );
    expect(rolling('10%', 0)).toEqual([]);
    expect(rolling(1, 1)).toEqual([
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ]);
    expect(rolling('0%', 0)).toEqual(['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0']);
  });
});

describe('a ReplicationController', () => {
  it('takes the labels of its template for its own and for its selector', () => {
    const controller = created('replicationcontrollers', { template });
    expect(controller).toMatchObject({ metadata: { labels: { app: 'a' } }, spec: { replicas: 1, selector: { app: 'a' } } });
    expect(errorsOf('replicationcontrollers', controller)).toEqual([]);
    expect(scaleOf(controller, kindOf('replicationcontrollers').strategy)).toMatchObject({ status: { selector: 'app=a' } });
  });
});

describe('a ControllerRevision', () => {
  const kind = kindOf('controllerrevisions.apps');
  const revision = (fields: object) => ({ metadata: { name: 'x', namespace: 'n' }, revision: 1, ...fields }) as unknown as KubeObject;

  it('remembers an object, for life', () => {
    expect(errorsOf('controllerrevisions.apps', revision({}))).toEqual(['data: Required value: data is mandatory']);
    expect(errorsOf('controllerrevisions.apps', revision({ data: [1] }))).toEqual([
      'data: Required value: data must be a valid JSON object',
    ]);
    const changed = validateUpdate(kind, revision({ data: { a: 2 }, revision: 2 }), revision({ data: { a: 1 } }));
    expect(changed.map(fieldErrorText)).toEqual(['data: Invalid value: {"a":2}: field is immutable']);
  });

  it('shows whose it is', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true };
    const { rows } = printObjectTable(
      kind,
      { ...revision({}), metadata: { name: 'x', namespace: 'n', uid: 'v', ownerReferences: [owner] } } as unknown as KubeObject,
      {
        now: 0,
      },
    );
    expect(rows[0]?.cells.slice(0, 3)).toEqual(['x', 'statefulset.apps/web', 1]);
  });
});
