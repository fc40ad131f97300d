import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiFixture } from '../testing/api-fixture.fixture';

const collection = '/api/v1/namespaces/default/configmaps';
const merge = { 'content-type': 'application/merge-patch+json' };
let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start();
});
afterEach(() => api.close());

describe('writes', () => {
  it('answer 201 to a create, and the object with its version', async () => {
    const { status, json } = await api.configMap('a', { data: { x: '1' } });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', resourceVersion: String(api.runtime.state.position) },
    });
  });

  it('warn of unknown fields, or refuse them', async () => {
    const body = { metadata: { name: 'a' }, dtaa: { 'sch"lüssel': '1' } };
    expect(await api.request('POST', collection, body)).toMatchObject({
      status: 201,
      headers: { Warning: ['299 - "unknown field \\"dtaa\\""'] },
    });
    expect(await api.request('POST', `${collection}?fieldValidation=Strict`, { ...body, metadata: { name: 'b' } })).toMatchObject({
      status: 400,
    });
    expect(await api.request('POST', `${collection}?fieldValidation=Nope`, body)).toMatchObject({
      status: 422,
      json: { details: { kind: 'CreateOptions' } },
    });
  });

  it('answer the update that ends a deletion as of the version that it found, whatever was read before', async () => {
    await api.configMap('a', { metadata: { finalizers: ['example.com/hold'] } });
    const [marked, ended] = await Promise.all([
      api.request('DELETE', `${collection}/a`),
      api.request('PATCH', `${collection}/a`, { metadata: { finalizers: [] } }, merge),
    ]);
    expect(marked.json.metadata.deletionTimestamp).toBeDefined();
    expect(await api.request('GET', `${collection}/a`)).toMatchObject({ status: 404 });
    expect(ended.json.metadata.resourceVersion).toBe(marked.json.metadata.resourceVersion);
  });

  it('update, patch and scale, each in its own way', async () => {
    await api.configMap('a', { data: { x: '1' } });
    expect(await api.request('PUT', `${collection}/a`, { metadata: { name: 'a' }, data: { x: '2' } })).toMatchObject({
      status: 200,
      json: { data: { x: '2' } },
    });
    expect(await api.request('PATCH', `${collection}/a`, { data: { y: '3' } }, merge)).toMatchObject({
      status: 200,
      json: { data: { x: '2', y: '3' } },
    });
    expect(await api.request('PATCH', `${collection}/a`, {}, { 'content-type': 'application/json' })).toMatchObject({ status: 415 });
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    expect(await api.request('PATCH', `${collection}/a`, {}, apply)).toMatchObject({ status: 422 });
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '9', z: '1' } };
    expect(await api.request('PATCH', `${collection}/a?fieldManager=me`, config, apply)).toMatchObject({ status: 409 });
    expect(await api.request('PATCH', `${collection}/a?fieldManager=me&force=true`, config, apply)).toMatchObject({
      status: 200,
      json: {
        metadata: { managedFields: [{ manager: 'me', operation: 'Apply', fieldsV1: { 'f:data': { 'f:x': {}, 'f:z': {} } } }, {}] },
        data: { x: '9', y: '3', z: '1' },
      },
    });
    const template = { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    await api.request('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { app: 'd' } }, template },
    });
    const scale = '/apis/apps/v1/namespaces/default/deployments/d/scale';
    expect(await api.request('PATCH', scale, { spec: { replicas: 3 } }, merge)).toMatchObject({
      status: 200,
      json: { kind: 'Scale', spec: { replicas: 3 } },
    });
    expect((await api.request('GET', scale)).json.status.selector).toBe('app=d');
  });

  it('change nothing when dry, and answer as if they had', async () => {
    const before = api.runtime.state.position;
    expect(await api.request('POST', `${collection}?dryRun=All`, { metadata: { name: 'a' } })).toMatchObject({ status: 201 });
    expect(api.runtime.state.position).toBe(before);
    const { json } = await api.configMap('a');
    const dry = await api.request('PUT', `${collection}/a?dryRun=All`, { metadata: { name: 'a' }, data: { x: '2' } });
    expect(dry.json.metadata.resourceVersion).toBe(json.metadata.resourceVersion);
    expect((await api.request('DELETE', `${collection}/a?dryRun=All`)).json).toMatchObject({ kind: 'Status', status: 'Success' });
    expect((await api.request('GET', `${collection}/a`)).status).toBe(200);
  });

  it('answer a deletion with a Status, or with what stays', async () => {
    const { json } = await api.configMap('a');
    expect((await api.request('DELETE', `${collection}/a`)).json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: json.metadata.uid },
    });
    await api.configMap('b', { metadata: { finalizers: ['example.com/f'] } });
    expect((await api.request('DELETE', `${collection}/b`)).json).toMatchObject({
      kind: 'ConfigMap',
      metadata: { deletionGracePeriodSeconds: 0 },
    });
    const last = await api.request('PATCH', `${collection}/b`, { metadata: { finalizers: null } }, merge);
    expect(last).toMatchObject({ status: 200, json: { kind: 'ConfigMap' } });
    expect((await api.request('GET', `${collection}/b`)).status).toBe(404);
  });

  it('delete a collection, or the part of it that is selected', async () => {
    for (const [name, tier] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ])
      await api.configMap(name as string, { metadata: { labels: { tier } } });
    const { json } = await api.request('DELETE', `${collection}?labelSelector=tier%3Dx`);
    expect(json).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }, { metadata: { name: 'c' } }] });
    expect((await api.request('GET', collection)).json.items).toHaveLength(1);
    expect(await api.request('DELETE', '/api/v1/namespaces')).toMatchObject({ status: 405 });
  });

  it('bind pods by either path', async () => {
    const created = {
      metadata: { name: 'p', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { containers: [{ name: 'c' }] },
      status: {},
    };
    const { fact } = await import('#libs/events');
    await api.runtime.append('local.pods-default/p', [[fact('Created', { object: created })]], 'no_stream', {
      origin: { actor: 'test', operation: 'p', correlationId: 'c' },
      label: '0',
      follows: undefined,
    });
    const body = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n1' } };
    expect(await api.request('POST', '/api/v1/namespaces/default/pods/q/binding', body)).toMatchObject({ status: 400 });
    expect(await api.request('POST', '/api/v1/namespaces/default/bindings', body)).toMatchObject({
      status: 201,
      json: { status: 'Success', code: 201 },
    });
    expect(await api.request('POST', '/api/v1/namespaces/default/pods/p/binding', body)).toMatchObject({ status: 409 });
  });
});

describe('paths and methods', () => {
  it.each([
    ['GET', '/api/v1/widgets', 404],
    ['GET', '/apis/apps/v9/deployments', 404],
    ['GET', '/api/v1/namespaces/default/nodes', 404],
    ['GET', '/api/v1/pods/p', 404],
    ['GET', '/api/v1/namespaces/default/pods/p/nosub', 404],
    ['GET', '/api/v1/namespaces/default/pods/p/eviction', 405],
    ['POST', '/api/v1/pods', 405],
    ['DELETE', '/api/v1/configmaps', 405],
    ['PUT', '/api/v1/namespaces/default/configmaps', 405],
    ['POST', '/api/v1/namespaces/default/configmaps/a', 405],
    ['OPTIONS', '/api/v1/namespaces', 405],
    ['POST', '/version', 405],
  ])('%s %s is answered %i', async (method, target, status) => {
    expect(await api.request(method, target, {})).toMatchObject({ status, json: { kind: 'Status' } });
  });

  it('says that it knows no such path', async () => {
    expect(await api.request('GET', '/apis/nope.example.com/v1/things')).toMatchObject({ status: 404 });
    expect(await api.request('GET', '/nope')).toMatchObject({ status: 404, text: '404 page not found\n' });
  });
});
