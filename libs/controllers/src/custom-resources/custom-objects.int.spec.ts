import { describe, expect, it } from 'vitest';
import { reconcilerController } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { Simulation } from '#libs/testing';
import { apiserverReconcilers } from '../apiserver';
import { clusterWorld } from '../cluster-world.fixture';
import { garbageCollector } from '../garbage-collector/garbage-collector-controller';
import { namespaceController } from '../namespace/namespace-controller';

const definitions = 'customresourcedefinitions.apiextensions.k8s.io';
const widgets = 'widgets.example-one.com';

const world = (): Promise<Simulation> =>
  clusterWorld([...apiserverReconcilers(), reconcilerController(garbageCollector), reconcilerController(namespaceController)]);

const schemaOf = (spec: object): object => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } },
});
const size = { type: 'integer', default: 3, 'x-kubernetes-validations': [{ rule: 'self < 10' }] };

async function define(cluster: Simulation): Promise<KubeObject> {
  const definition = {
    metadata: { name: widgets },
    spec: {
      group: 'example-one.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: schemaOf({ size, note: { type: 'string' } }) },
        { name: 'v2', served: true, storage: false, subresources: { status: {} }, schema: schemaOf({ size }) },
      ],
    },
  };
  await cluster.create('namespaces', undefined, { metadata: { name: 'shop' } });
  await cluster.create(definitions, undefined, definition as never);
  return cluster.get(definitions, undefined, widgets) as KubeObject;
}

const create = (cluster: Simulation, object: object): Promise<KubeObject> => cluster.create(widgets, 'shop', object as never);

async function isProven(cluster: Simulation): Promise<void> {
  expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
}

describe('custom objects', () => {
  it('are made again from the log, by the kinds of then', async () => {
    const cluster = await world();
    const definition = await define(cluster);
    await create(cluster, { metadata: { name: 'a' }, spec: { note: 'n' } });
    expect(cluster.get(widgets, 'shop', 'a')?.spec).toEqual({ note: 'n', size: 3 });
    const versions = (definition.spec.versions as object[]).map((version) => ({
      ...version,
      schema: schemaOf({ size: { type: 'string' } }),
    }));
    await cluster.put(definitions, { ...definition, spec: { ...definition.spec, versions } });
    await create(cluster, { metadata: { name: 'b' }, spec: { size: 'large' } });
    await cluster.restart();
    await create(cluster, { metadata: { name: 'c' }, spec: { size: 'small' } });
    expect(cluster.get(widgets, 'shop', 'c')?.spec).toEqual({ size: 'small' });
    await isProven(cluster);
  });

  it('are owners and dependents like all others, and go with their namespace', async () => {
    const cluster = await world();
    await define(cluster);
    const owner = await create(cluster, { metadata: { name: 'owner' } });
    const reference = { apiVersion: 'example-one.com/v1', kind: 'Widget', name: 'owner', uid: owner.metadata.uid };
    await create(cluster, { metadata: { name: 'dependent', ownerReferences: [reference] } });
    await cluster.delete(widgets, 'shop', 'owner');
    await cluster.run(10_000);
    expect(cluster.get(widgets, 'shop', 'dependent')).toBeUndefined();
    await create(cluster, { metadata: { name: 'left' } });
    await cluster.delete('namespaces', undefined, 'shop');
    await cluster.run(60_000);
    expect(cluster.get(widgets, 'shop', 'left')).toBeUndefined();
    await isProven(cluster);
  });
});
