import { strict as assert } from 'node:assert';
import { eventually } from '../e2e/running-cluster';
import type { Operator } from './operator';
import { appsPath, becomes, hasCondition, isGone, type Seen } from './workloads';

const group = '/apis/library.example.org/v1';
const shelves = `${group}/namespaces/default/shelves`;
const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shelves.library.example.org';
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const finalizer = 'library.example.org/shelf';

function shelf(name: string, spec: object): object {
  return { apiVersion: 'library.example.org/v1', kind: 'Shelf', metadata: { name }, spec };
}

/** The shelf, once it says what is asked. */
function says(operator: Operator, name: string, phase: string, readers: number): Promise<Seen> {
  return becomes(operator.surroundings.cluster, `${shelves}/${name}`, `says ${phase}, ${readers}`, ({ status }) => {
    return status?.phase === phase && (status.readyReaders ?? 0) === readers;
  });
}

function told(operator: Operator, name: string, reason: string): Promise<Seen> {
  const path = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DShelf,involvedObject.name%3D${name},reason%3D${reason}`;
  return eventually(`${reason} is told of ${name}`, async () => (await operator.surroundings.cluster.get(path)).body.items[0] as Seen);
}

/**
 * What the users of an operator rely on, whatever it is written in. Each operator makes the definition of Shelves itself; for each Shelf it
 * applies a Deployment of `spec.readers` replicas, keeps `status` (phase, readyReaders, observedGeneration), holds a finalizer, and leaves the
 * ConfigMap NAME-was behind.
 */
export const checks: Record<string, (operator: Operator) => Promise<void>> = {
  'its definition is established, and what is against it is refused': async ({ surroundings: { cluster } }) => {
    await becomes(cluster, definition, 'is established', (seen) => hasCondition(seen, 'Established'));
    await eventually('the kind is served', async () => (await cluster.get(shelves)).code === 200);
    const { body } = await cluster.get(group);
    assert.deepEqual(
      body.resources.map(({ name }: Seen) => name),
      ['shelves', 'shelves/status', 'shelves/scale'],
    );
    const over = await cluster.call('POST', shelves, shelf('over', { readers: 10, topic: 'maps' }));
    assert.equal(over.code, 422);
    assert.match(over.body.message, /spec\.readers: Invalid value: 10: spec\.readers in body should be less than or equal to 9/);
    const untold = await cluster.call('POST', shelves, shelf('untold', {}));
    assert.match(untold.body.message, /spec\.topic: Required value/);
    const forbidden = await cluster.call('POST', shelves, shelf('forbidden', { topic: 'maps' }));
    assert.match(forbidden.body.message, /Shelf\.library\.example\.org "forbidden" is invalid: .*this name is not for shelves/);
  },
  'what is asked for is applied, owned, and told in the status': async (operator) => {
    const { cluster } = operator.surroundings;
    const made = await cluster.create(shelves, shelf('maps', { readers: 2, topic: 'maps' }));
    const { metadata, status } = await says(operator, 'maps', 'Ready', 2);
    assert.deepEqual(metadata.finalizers, [finalizer]);
    assert.equal(status.observedGeneration, 1);
    assert.equal(metadata.generation, 1, 'a status is no change of what is asked for');
    const deployment = (await cluster.get(`${appsPath}/deployments/maps`)).body;
    assert.equal(deployment.metadata.ownerReferences[0].uid, made.metadata.uid);
    const owned = deployment.metadata.managedFields.find(({ manager }: Seen) => manager === 'shelf-operator');
    assert.equal(owned.operation, 'Apply');
    assert.deepEqual(owned.fieldsV1['f:spec']['f:replicas'], {});
  },
  'an event tells of it': async (operator) => {
    const { type, involvedObject } = await told(operator, 'maps', 'Stocked');
    const { metadata } = (await operator.surroundings.cluster.get(`${shelves}/maps`)).body;
    assert.deepEqual([type, involvedObject.uid, involvedObject.apiVersion], ['Normal', metadata.uid, 'library.example.org/v1']);
  },
  'a default is in what it sees': async (operator) => {
    const made = await operator.surroundings.cluster.create(shelves, shelf('small', { topic: 'poems' }));
    assert.equal(made.spec.readers, 1);
    await says(operator, 'small', 'Ready', 1);
  },
  'a change is carried through; what others have added stays': async (operator) => {
    const { cluster } = operator.surroundings;
    await cluster.call('PATCH', `${appsPath}/deployments/maps`, { metadata: { labels: { added: 'by-hand' } } }, merge);
    await cluster.call('PATCH', `${shelves}/maps`, { spec: { readers: 3, topic: 'sea charts' } }, merge);
    await says(operator, 'maps', 'Ready', 3);
    const { metadata, spec } = (await cluster.get(`${appsPath}/deployments/maps`)).body;
    assert.equal(metadata.labels.added, 'by-hand');
    assert.equal(spec.template.metadata.annotations.topic, 'sea charts');
    const { metadata: after, status } = await becomes(
      cluster,
      `${shelves}/maps`,
      'is observed',
      (seen) => seen.status.observedGeneration === 2,
    );
    assert.equal(after.generation, status.observedGeneration);
  },
  'its scale is changed as that of any workload': async (operator) => {
    const { cluster } = operator.surroundings;
    const { code, body } = await cluster.call('PATCH', `${shelves}/maps/scale`, { spec: { replicas: 1 } }, merge);
    assert.equal(code, 200, JSON.stringify(body));
    assert.deepEqual([body.kind, body.spec.replicas], ['Scale', 1]);
    assert.ok(body.status.replicas >= 3, `${body.status.replicas} readers`);
    await says(operator, 'maps', 'Ready', 1);
    assert.equal((await cluster.get(`${appsPath}/deployments/maps`)).body.spec.replicas, 1);
  },
  'what another has taken is a conflict, until that one lets go': async (operator) => {
    const { cluster } = operator.surroundings;
    const take = (spec: object): Promise<unknown> =>
      cluster.call(
        'PATCH',
        `${appsPath}/deployments/small?fieldManager=autoscaler&force=true`,
        { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'small' }, spec },
        apply,
      );
    await take({ replicas: 4 });
    await cluster.call('PATCH', `${shelves}/small`, { spec: { readers: 2 } }, merge);
    await becomes(cluster, `${shelves}/small`, 'is in conflict', ({ status }) => status.phase === 'Conflict');
    const { type, message } = await told(operator, 'small', 'Conflict');
    assert.equal(type, 'Warning');
    assert.match(message, /conflict with .*autoscaler.*: \.spec\.replicas/);
    await take({});
    await says(operator, 'small', 'Ready', 2);
  },
  'so far it has nothing to complain of': async (operator) => assert.deepEqual(operator.complaints, []),
  'its connections are cut, and it goes on': async (operator) => {
    const { cluster, line } = operator.surroundings;
    for (const readers of [2, 3, 1]) {
      line.cut();
      await cluster.call('PATCH', `${shelves}/maps`, { spec: { readers } }, merge);
      await says(operator, 'maps', 'Ready', readers);
    }
  },
  'killed and started again, it catches up with what happened meanwhile': async (operator) => {
    const { cluster } = operator.surroundings;
    await operator.kill();
    await cluster.create(shelves, shelf('late', { topic: 'news' }));
    await cluster.call('PATCH', `${shelves}/maps`, { spec: { readers: 2 } }, merge);
    await cluster.call('DELETE', `${shelves}/small`);
    assert.notEqual((await cluster.get(`${shelves}/small`)).body.metadata.deletionTimestamp, undefined);
    operator.start();
    await says(operator, 'late', 'Ready', 1);
    await says(operator, 'maps', 'Ready', 2);
    await isGone(cluster, `${shelves}/small`);
  },
  'a deletion waits for its finalizer, and what it owns is collected': async (operator) => {
    const { cluster } = operator.surroundings;
    const held = await cluster.call('DELETE', `${shelves}/maps`);
    assert.equal(held.code, 200);
    await isGone(cluster, `${shelves}/maps`);
    assert.deepEqual((await cluster.get('/api/v1/namespaces/default/configmaps/maps-was')).body.data, { topic: 'sea charts' });
    await isGone(cluster, `${appsPath}/deployments/maps`);
  },
  'its definition goes once the operator has let go of the last shelf': async (operator) => {
    const { cluster } = operator.surroundings;
    await cluster.call('DELETE', definition);
    await isGone(cluster, definition);
    assert.deepEqual((await cluster.get('/api/v1/namespaces/default/configmaps/late-was')).body.data, { topic: 'news' });
    assert.equal((await cluster.get(shelves)).code, 404);
  },
};
