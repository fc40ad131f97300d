import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { prepareWrite } from './prepare-write';
import type { StateView } from './request';

const stored = {
  metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '5', creationTimestamp: '2026-01-01T00:00:00Z' },
  data: { a: '1' },
} as unknown as KubeObject;
const namespace = {
  metadata: { name: 'n', uid: 'v', creationTimestamp: '2026-01-01T00:00:00Z' },
  status: { phase: 'Active' },
} as unknown as KubeObject;
const state: StateView = {
  cluster: 'local',
  position: 5,
  get: (resource) => (resource === 'configmaps' ? stored : resource === 'namespaces' ? namespace : undefined),
  byKey: () => undefined,
  list: () => [],
  head: () => ({ revision: 0, digest: '' }),
};

describe('a dry run', () => {
  it('shows the link that was sent, which the store would clear, also where nothing changes', () => {
    const target = { resource: 'configmaps', namespace: 'n', name: 'a' };
    const object = { ...stored, metadata: { ...stored.metadata, selfLink: '/x' } } as KubeObject;
    const prepared = prepareWrite(state, { verb: 'update', target, object, options: { dryRun: true } }, { now: 0, id: 'i' });
    expect(prepared).toMatchObject({ kind: 'dry-run', object: { metadata: { selfLink: '/x', resourceVersion: '5' }, data: { a: '1' } } });
    const again = prepareWrite(state, { verb: 'update', target, object }, { now: 0, id: 'i' });
    expect(again.kind === 'unchanged' && again.object.metadata).not.toHaveProperty('selfLink');
  });
});
