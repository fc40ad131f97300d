// A custom kind keeps its replicas where its definition says; its Scale is written there, and a log of that is clean.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, kubereel, RunningCluster } from './running-cluster';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shelves.library.example.org' },
  spec: {
    group: 'library.example.org',
    scope: 'Namespaced',
    names: { kind: 'Shelf', plural: 'shelves' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { scale: { specReplicasPath: '.spec.readers', statusReplicasPath: '.status.readers' } },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const shelves = '/apis/library.example.org/v1/namespaces/default/shelves';

describe('the Scale of a custom kind', () => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--apps', 'apiserver');
    await cluster.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await eventually('the kind is served', async () => (await cluster.get(shelves)).code === 200);
    await cluster.create(shelves, {
      apiVersion: 'library.example.org/v1',
      kind: 'Shelf',
      metadata: { name: 'maps' },
      spec: { readers: 3, topic: 'maps' },
    });
  });
  afterAll(async () => {
    await cluster.stop();
    cluster.remove();
  });

  it('is written where the definition says, and the log verifies clean', async () => {
    const scaled = await cluster.call(
      'PATCH',
      `${shelves}/maps/scale`,
      { spec: { replicas: 1 } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(scaled.body.spec).toEqual({ replicas: 1 });
    expect((await cluster.get(`${shelves}/maps`)).body.spec).toEqual({ readers: 1, topic: 'maps' });
    expect(await cluster.stop()).toBe(0);
    const { code, stdout, stderr } = await kubereel(['verify', '--data', cluster.folder]);
    expect(code, stdout + stderr).toBe(0);
  });
});
