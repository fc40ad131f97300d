import type { KubeObject } from '#libs/kernel';
import { expect, it } from 'vitest';
import { prepareWrite } from './prepare-write';
import type { CreateRequest, StateView } from './request';

const namespace = { metadata: { name: 'n', uid: 'v' }, status: { phase: 'Active' } } as unknown as KubeObject;

function stateOf(disabled: string[]): StateView {
  return {
    cluster: 'local',
    position: 5,
    get: (resource) => (resource === 'namespaces' ? namespace : undefined),
    byKey: () => undefined,
    list: () => [],
    head: () => undefined,
    admission: { enabled: [], disabled, limitedResources: [] },
  };
}

const pod = (): CreateRequest => ({
  verb: 'create',
  resource: 'pods',
  namespace: 'n',
  object: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'c' }] } } as unknown as KubeObject,
});

it('a pod is looked at by the plug-ins that are on, and by no other', () => {
  const context = { now: 0, id: 'i' };
  expect(prepareWrite(stateOf([]), pod(), context)).toMatchObject({ kind: 'refused', status: { code: 403 } });
  const prepared = prepareWrite(stateOf(['ServiceAccount']), pod(), context);
  expect(prepared.kind).toBe('review');
});
