import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { entriesOfNew } from './owners';
import { releaseKinds } from '../kinds';
import { prepareWrite } from './prepare-write';
import type { StateView } from './request';

const namespace = { metadata: { name: 'n' }, status: { phase: 'Active' } } as unknown as KubeObject;
const stateOf = (old?: KubeObject): StateView => ({
  cluster: 'local',
  position: 5,
  get: (resource) => (resource === 'namespaces' ? namespace : old),
  byKey: () => undefined,
  list: () => [],
  head: () => ({ revision: 0, digest: '' }),
});
const options = { fieldManager: 'me', dryRun: true };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'a:1' }] } };

interface Made {
  object: KubeObject;
  owned: string;
}

function create(resource: string, spec: object): Made {
  const object = { metadata: { name: 'x' }, spec } as unknown as KubeObject;
  const prepared = prepareWrite(stateOf(), { verb: 'create', resource, namespace: 'n', object, options }, { now: 0, id: 'i' });
  if (prepared.kind !== 'dry-run') throw new Error(JSON.stringify(prepared));
  return { object: prepared.object, owned: JSON.stringify(prepared.object.metadata.managedFields) };
}

describe('who writes a new object owns', () => {
  it('the generation of the template of a DaemonSet, which the served version always has', () => {
    const { object, owned } = create('daemonsets.apps', { selector: { matchLabels: { a: 'b' } }, template });
    expect(object.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' });
    expect(owned).toContain('"f:annotations":{".":{},"f:deprecated.daemonset.template.generation":{}}');
  });

  it('what the server drops because its feature is off', () => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } };
    const { object, owned } = create('statefulsets.apps', { selector: { matchLabels: { a: 'b' } }, template, updateStrategy });
    expect(object.spec.updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { partition: 0 } });
    expect(owned).toContain('"f:maxUnavailable":{}');
  });

  it('parts of a reference where it is told to be taken apart', () => {
    const volumes = releaseKinds.kindOf('persistentvolumes');
    const volume = { metadata: { name: 'v' }, spec: { claimRef: { namespace: 'n', name: 'c' } } } as unknown as KubeObject;
    const owned = JSON.stringify(entriesOfNew(volumes, volume, { manager: 'me', now: 0 }));
    expect(owned).toContain('"f:claimRef":{".":{},"f:name":{},"f:namespace":{}}');
  });
});

it('a patch of a Scale that cannot be read is quoted with the owners of the replicas', () => {
  const { object } = create('deployments.apps', { selector: { matchLabels: { a: 'b' } }, template, replicas: 2 });
  const target = { resource: 'deployments.apps', namespace: 'n', name: 'x' };
  const old = { ...object, metadata: { ...object.metadata, resourceVersion: '7' } };
  const patch = { spec: { replicas: '4' } };
  const request = { verb: 'patch', target, subresource: 'scale', patchType: 'merge', patch, options } as const;
  const prepared = prepareWrite(stateOf(old), request, { now: 0, id: 'i' });
  expect(prepared.kind === 'refused' && prepared.status.message).toContain('\\"fieldsV1\\":{\\"f:spec\\":{\\"f:replicas\\":{}}}');
});
