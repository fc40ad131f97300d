import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { releaseKinds } from '../kinds';
import { FieldOwners, withOwners } from './field-owners';
import type { OwnerChange } from './owner-rules';
import { managerOfAgent, managerOfController } from './writer-names';

const kind = releaseKinds.kindOf('deployments.apps');
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;
const deployment = (more: Loose = {}): KubeObject => ({
  metadata: { name: 'a', labels: { a: '1' } },
  spec: { replicas: 1 },
  status: {},
  ...more,
});
let now = Date.parse('2026-01-01T00:00:00Z');

/** The object after a write by somebody, with its owners. */
function written(before: KubeObject | undefined, after: KubeObject, by: Partial<OwnerChange['by']> = {}): KubeObject {
  now += 1_000;
  const change: OwnerChange = { kind, before, after, by: { manager: 'one', operation: 'Update', now, ...by } };
  return withOwners(after, FieldOwners.after(change));
}

const ownersOf = (object: KubeObject): Loose[] => JSON.parse(JSON.stringify(object)).metadata.managedFields ?? [];
const brief = (object: KubeObject): string[] =>
  ownersOf(object).map(
    ({ manager, subresource = '', fieldsV1 }) => `${manager}${subresource && `/${subresource}`} ${Object.keys(fieldsV1).join(' ')}`,
  );

describe('owners of fields', () => {
  it('are those who changed them last; what is as it was stays theirs', () => {
    const created = written(undefined, deployment());
    const changed = written(created, deployment({ spec: { replicas: 2, paused: true } }), { manager: 'two' });
    expect(ownersOf(changed)).toEqual([
      {
        manager: 'one',
        operation: 'Update',
        apiVersion: 'apps/v1',
        time: '2026-01-01T00:00:01Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
      },
      {
        manager: 'two',
        operation: 'Update',
        apiVersion: 'apps/v1',
        time: '2026-01-01T00:00:02Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
      },
    ]);
    expect(brief(written(changed, deployment({ spec: { replicas: 2 } }), { manager: 'three' }))).toEqual(['one f:metadata', 'two f:spec']);
  });

  it('own a status through its path, also a controller that says no path', () => {
    const created = written(undefined, deployment());
    const decided = { manager: 'controller', isDecision: true };
    expect(brief(written(created, deployment({ status: { replicas: 1 } }), decided))).toEqual([
      'one f:metadata f:spec',
      'controller/status f:status',
    ]);
    const labelled = deployment({ metadata: { name: 'a', labels: { a: '2' } } });
    expect(brief(written(created, labelled, decided))).toEqual(['one f:metadata f:spec', 'controller f:metadata']);
    const both = deployment({ spec: { replicas: 3 }, status: { replicas: 1 } });
    expect(brief(written(created, both, decided))).toEqual(['one f:metadata', 'controller f:spec', 'controller/status f:status']);
  });

  it('are ten updaters at most; the oldest are put together', () => {
    let object = written(undefined, deployment());
    for (let i = 0; i < 14; i++) {
      const labels = { ...object.metadata.labels, [`l${i}`]: 'x' };
      object = written(object, deployment({ metadata: { name: 'a', labels } }), { manager: `m${String(i).padStart(2, '0')}` });
    }
    const names = ownersOf(object).map(({ manager }) => manager);
    expect(names).toEqual(['ancient-changes', ...Array.from({ length: 9 }, (_, i) => `m${String(i + 5).padStart(2, '0')}`)]);
  });

  it('are nobody where nobody was told of any', () => {
    const plain = deployment();
    expect(ownersOf(written(plain, deployment({ spec: { replicas: 5 } })))).toEqual([]);
  });

  it('are the same whenever somebody asks', () => {
    let [lazy, eager] = [written(undefined, deployment()), written(undefined, deployment())];
    for (let i = 0; i < 40; i++) {
      const at = now;
      const after = deployment({ spec: { replicas: i % 3 }, status: { replicas: i } });
      const by = { manager: `m${i % 4}`, isDecision: true };
      lazy = written(lazy, after, by);
      now = at;
      eager = written(eager, after, by);
      JSON.stringify(eager);
    }
    expect(ownersOf(lazy).map(({ time: _, ...entry }) => entry)).toEqual(ownersOf(eager).map(({ time: _, ...entry }) => entry));
    expect((lazy.metadata.managedFields as FieldOwners).json).toBe(JSON.stringify(ownersOf(lazy)));
  });
});

describe('the name of a writer', () => {
  it('is the client’s before the slash, printable, and not too long', () => {
    expect(managerOfAgent('kubectl/v1.33 (linux/amd64); kubectl apply')).toBe('kubectl');
    expect(managerOfAgent('a\u0007b')).toBe('ab');
    expect(managerOfAgent('x'.repeat(200))).toHaveLength(128);
    expect(managerOfAgent(undefined)).toBe('');
  });

  it('is the program that runs the controller upstream', () => {
    expect(['scheduler-fast', 'kubelet-registration', 'deployment-controller', 'apiserver'].map(managerOfController)).toEqual([
      'kube-scheduler',
      'kubelet',
      'kube-controller-manager',
      'kube-apiserver',
    ]);
  });
});
