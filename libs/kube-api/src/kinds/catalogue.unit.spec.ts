import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { printTable } from '../printing';
import {
  findSubresource,
  isSubresourceServed,
  kindsOf,
  newKindCatalogue,
  parseApiVersion,
  releaseKinds,
  type KindCatalogue,
} from './index';

import type { StateView, WriteRequest } from '../write';
import { prepareWrite } from '../write';
import { widgetKind } from './widgets.fixture';

const kindOf = (name: string) => releaseKinds.kindOf(name);

describe('resource kinds', () => {
  it('are found by path, by name and by kind', () => {
    const deployments = kindOf('deployments.apps');
    expect(deployments).toMatchObject({ group: 'apps', version: 'v1', kind: 'Deployment', singular: 'deployment', apiVersion: 'apps/v1' });
    expect(releaseKinds.findResource('apps', 'v1', 'deployments')).toBe(deployments);
    expect(releaseKinds.findKind('apps/v1', 'Deployment')).toBe(deployments);
    expect(releaseKinds.findResource('apps', 'v2', 'deployments')).toBeUndefined();
    expect(releaseKinds.findGroupResource('widgets')).toBeUndefined();
    expect(() => kindOf('widgets')).toThrow('no resource widgets');
  });

  it('prefer the first version of discovery where a resource has several', () => {
    expect(kindOf('horizontalpodautoscalers.autoscaling').version).toBe('v2');
    expect(releaseKinds.findKind('autoscaling/v1', 'HorizontalPodAutoscaler')?.version).toBe('v1');
  });

  it('serves every kind of the release', () => {
    expect(releaseKinds.all).toHaveLength(66);
    expect(releaseKinds.all.filter(({ served }) => !served)).toEqual([]);
  });

  it('gives subresources the group of their kind', () => {
    const pods = kindOf('pods');
    expect(findSubresource(pods, 'eviction')).toMatchObject({ group: 'policy', version: 'v1', kind: 'Eviction' });
    expect(findSubresource(pods, 'status')).toMatchObject({ group: '', version: 'v1', kind: 'Pod' });
    expect(findSubresource(kindOf('replicasets.apps'), 'scale')).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
    expect(isSubresourceServed(pods, 'log')).toBe(true);
    expect(isSubresourceServed(pods, 'exec')).toBe(true);
    expect(isSubresourceServed(kindOf('serviceaccounts'), 'token')).toBe(true);
  });

  it('knows how kinds behave', () => {
    expect(kindOf('pods')).toMatchObject({ managesGeneration: true, hasStatus: true, gracefulDeletion: true, deletionReturnsObject: true });
    expect(kindOf('priorityclasses.scheduling.k8s.io')).toMatchObject({ generation: 'fixed', managesGeneration: false, hasStatus: false });
    expect(kindOf('leases.coordination.k8s.io')).toMatchObject({ createOnUpdate: true, allowUnconditionalUpdate: false });
    expect(kindOf('events.events.k8s.io').storage).toBe('events');
  });

  it('reads apiVersions', () => {
    expect(parseApiVersion('v1')).toEqual({ group: '', version: 'v1' });
    expect(parseApiVersion('apps/v1')).toEqual({ group: 'apps', version: 'v1' });
    expect(parseApiVersion('a/b/c')).toBeUndefined();
  });
});

/** A cluster in which there is nothing but a namespace and what is put there. */
function clusterWith(kinds: KindCatalogue | undefined, ...objects: KubeObject[]): StateView {
  const found = (name: string) => objects.find(({ metadata }) => metadata.name === name);
  const namespace = { metadata: { name: 'web', uid: 'n', creationTimestamp: '' }, status: { phase: 'Active' } } as KubeObject;
  return {
    cluster: 'local',
    position: 7,
    kinds,
    get: (resource, _, name) => (resource === 'namespaces' ? namespace : found(name)),
    byKey: (_, key) => found(key.slice(key.indexOf('/') + 1)),
    list: () => objects,
    head: () => undefined,
  };
}

describe('a kind that comes while a cluster lives', () => {
  const own = newKindCatalogue();
  own.add(widgetKind());
  const context = { now: Date.UTC(2026, 0, 1), id: 'operation' };
  const widget = (spec: object): WriteRequest => ({
    verb: 'create',
    resource: 'widgets.example.com',
    namespace: 'web',
    object: { metadata: { name: 'w' }, spec } as unknown as KubeObject,
  });

  it('is one of that cluster, and of no other', () => {
    expect(kindsOf({ kinds: own }).findKind('example.com/v1', 'Widget')?.singular).toBe('widget');
    expect(kindsOf({}).findKind('example.com/v1', 'Widget')).toBeUndefined();
    expect(prepareWrite(clusterWith(undefined), widget({}), context)).toMatchObject({ kind: 'refused', status: { code: 404 } });
  });

  it('is defaulted, validated, warned about, updated and shown like any other', () => {
    const made = prepareWrite(clusterWith(own), widget({ parts: [{ name: 'a' }] }), context);
    if (made.kind !== 'append') throw new Error(JSON.stringify(made));
    expect(made.stream).toBe('local.widgets.example.com-web/w');
    expect(made.object).toMatchObject({
      metadata: { generation: 1 },
      spec: { size: 3, parts: [{ name: 'a', colour: 'red' }] },
      status: {},
    });

    const refused = prepareWrite(clusterWith(own), widget({ size: 11 }), context);
    expect(refused).toMatchObject({
      kind: 'refused',
      status: { code: 422, message: 'Widget.example.com "w" is invalid: spec.size: Invalid value: 11: should be less than or equal to 10' },
    });
    expect(prepareWrite(clusterWith(own), widget({ size: 0 }), context)).toMatchObject({ warnings: ['spec.size: a widget of no size'] });

    const stored = { ...made.object, metadata: { ...made.object.metadata, resourceVersion: '5' } };
    const target = { resource: 'widgets.example.com', namespace: 'web', name: 'w' };
    const patch = { spec: { parts: [{ name: 'b', colour: 'blue' }] }, status: { ready: true } };
    const changed = prepareWrite(clusterWith(own, stored), { verb: 'patch', target, patchType: 'strategic', patch }, context);
    expect(changed).toMatchObject({
      kind: 'append',
      object: {
        metadata: { generation: 2 },
        spec: {
          parts: [
            { name: 'b', colour: 'blue' },
            { name: 'a', colour: 'red' },
          ],
        },
        status: {},
      },
    });
    const blind = { ...stored, metadata: { ...stored.metadata, resourceVersion: undefined } };
    expect(prepareWrite(clusterWith(own, stored), { verb: 'update', target, object: blind }, context)).toMatchObject({
      status: { message: expect.stringContaining('metadata.resourceVersion: Invalid value: 0: must be specified for an update') as string },
    });

    const table = printTable(own.kindOf('widgets.example.com'), [stored], {}, { now: context.now + 5_000 });
    expect(table.columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Size', 'Age']);
    expect(table.rows[0]?.cells).toEqual(['w', 3, '5s']);
  });

  it('goes as it came', () => {
    const cluster = newKindCatalogue();
    const before = cluster.version;
    cluster.add(widgetKind());
    expect(cluster.all).toHaveLength(67);
    cluster.remove('widgets.example.com');
    expect(cluster.all).toHaveLength(66);
    expect(cluster.findResource('example.com', 'v1', 'widgets')).toBeUndefined();
    expect(cluster.schemaOf({ group: 'example.com', version: 'v1', kind: 'Widget' })).toBeUndefined();
    expect(cluster.version).toBe(before + 2);
  });

  it('takes the place of what was at its path', () => {
    const cluster = newKindCatalogue();
    cluster.add(widgetKind());
    const later = { ...widgetKind(), shortNames: ['wdg'] };
    cluster.add(later);
    expect(cluster.kindOf('widgets.example.com').shortNames).toEqual(['wdg']);
    expect(cluster.findKind('example.com/v1', 'Widget')).toBe(later);
    expect(cluster.all).toHaveLength(67);
  });
});
