import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiFixture } from './testing/api-fixture.fixture';
import { established } from './testing/established.fixture';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example-one.com/v1/namespaces/default/widgets';
const name = 'widgets.example-one.com';
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const size = { type: 'integer', default: 3, maximum: 10 };
const parts = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' }, colour: { type: 'string' } }, required: ['name'] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};
const versionOf = (version: string, spec: object, more: object = {}): object => ({
  name: version,
  served: true,
  storage: true,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
  additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  selectableFields: [{ jsonPath: '.spec.size' }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: spec }, status: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  },
  ...more,
});

const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] };

function definition(...versions: object[]): object {
  return { metadata: { name }, spec: { group: 'example-one.com', scope: 'Namespaced', names, versions } };
}

let api: ApiFixture;

/** As the controllers of the server would: none of them runs here. */
async function establish(called = name, accepted: object = names): Promise<void> {
  const status = established(accepted);
  expect((await api.request('PATCH', `${definitions}/${called}/status`, { status }, merge)).status).toBe(200);
}

async function define(...versions: object[]): Promise<void> {
  expect((await api.request('POST', definitions, definition(...versions))).status).toBe(201);
  await establish();
}

async function redefine(...versions: object[]): Promise<void> {
  const { json } = await api.request('GET', `${definitions}/${name}`);
  expect((await api.request('PUT', `${definitions}/${name}`, { ...json, spec: { ...json.spec, versions } })).status).toBe(200);
}

const widget = (called: string, spec: object): object => ({
  apiVersion: 'example-one.com/v1',
  kind: 'Widget',
  metadata: { name: called },
  spec,
});

beforeEach(async () => {
  api = await ApiFixture.start();
});
afterEach(() => api.close());

describe('a definition of what the release has', () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

  it.each([
    ['a kind of it', 'clusterroles', 'ClusterRole', 'v1'],
    ['a kind of it in another version', 'clusterroles', 'ClusterRole', 'v9'],
    ['one more kind in a version of it', 'more', 'ClusterRole', 'v1'],
  ])('changes nothing: %s', async (_, plural, kind, version) => {
    const role = await api.request('POST', roles, { metadata: { name: 'kept' }, rules: [] });
    const acceptedNames = { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` };
    const called = `${plural}.rbac.authorization.k8s.io`;
    const made = await api.request('POST', definitions, {
      metadata: { name: called, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
      spec: {
        group: 'rbac.authorization.k8s.io',
        scope: 'Cluster',
        names: acceptedNames,
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    expect(made.status).toBe(201);
    await establish(called, acceptedNames);
    const group = `/apis/rbac.authorization.k8s.io/${version}`;
    if (version !== 'v1' || plural === 'more') expect((await api.request('GET', `${group}/${plural}`)).status).toBe(404);
    expect((await api.request('GET', `${roles}/kept`)).json).toEqual(role.json);
    const wrong = await api.request('POST', roles, { metadata: { name: 'w' }, rules: [{ verbs: [] }] });
    expect(wrong.json.message).toContain('rules[0].verbs: Required value');
    await api.request('DELETE', `${definitions}/${called}`);
    await api.request('PATCH', `${definitions}/${called}`, { metadata: { finalizers: null } }, merge);
    expect((await api.request('GET', `${definitions}/${called}`)).status).toBe(404);
    expect((await api.request('GET', `${roles}/kept`)).json).toEqual(role.json);
  });
});

describe('custom objects', () => {
  it('are served from the moment that their kind is established, and no longer than it is defined', async () => {
    expect((await api.request('POST', definitions, definition(versionOf('v1', { size })))).status).toBe(201);
    expect((await api.request('GET', widgets)).status).toBe(404);
    await establish();
    expect((await api.request('GET', widgets)).json).toMatchObject({ kind: 'WidgetList', items: [] });
    for (const path of ['example-one.com/v2', 'example-one.com/v2/widgets', 'example-one.com/v1/gadgets', 'example-one.com/v1/widgets/a']) {
      const { status, text } = await api.request('GET', `/apis/${path}`);
      expect([status, text], path).toEqual([404, '404 page not found\n']);
    }
    expect((await api.request('GET', '/apis/example-one.com/v1')).json.resources[0]).toMatchObject({ name: 'widgets', shortNames: ['wd'] });
    await api.request('PATCH', `${definitions}/${name}`, { metadata: { finalizers: null } }, merge);
    await api.request('DELETE', `${definitions}/${name}`);
    await api.request('PATCH', `${definitions}/${name}`, { metadata: { finalizers: null } }, merge);
    expect((await api.request('GET', widgets)).status).toBe(404);
    expect((await api.request('GET', '/apis/example-one.com')).status).toBe(404);
  });

  it('are pruned, filled in and held to their schema', async () => {
    await define(versionOf('v1', { size, parts }));
    const made = await api.request('POST', widgets, widget('a', { colour: 'red' }));
    expect(made).toMatchObject({ status: 201, json: { spec: { size: 3 }, metadata: { generation: 1 } } });
    expect(made.json.spec).toEqual({ size: 3 });
    expect(made.headers['Warning']).toEqual(['299 - "unknown field \\"spec.colour\\""']);
    const large = await api.request('POST', widgets, widget('b', { size: 11 }));
    expect(large.json.message).toBe(
      'Widget.example-one.com "b" is invalid: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10',
    );
    const other = await api.request('POST', widgets, { ...widget('c', {}), kind: '1.2.3' });
    expect(other.json).toMatchObject({ code: 422, details: { group: 'example-one.com', kind: '1.2.3' } });
    const strict = await api.request('POST', `${widgets}?fieldValidation=Strict`, widget('c', { colour: 'red' }));
    expect(strict.json.message).toContain('strict decoding error: unknown field "spec.colour"');
    expect((await api.request('PATCH', `${widgets}/a`, {}, { 'content-type': 'application/strategic-merge-patch+json' })).status).toBe(415);
  });

  it('are counted by what is wished, and have their status written apart', async () => {
    await define(versionOf('v1', { size }));
    await api.request('POST', widgets, { ...widget('a', {}), status: { size: 9 } });
    const reported = await api.request('PATCH', `${widgets}/a/status`, { status: { size: 2 }, spec: { size: 7 } }, merge);
    expect(reported.json).toMatchObject({ metadata: { generation: 1 }, spec: { size: 3 }, status: { size: 2 } });
    const scale = await api.request('PATCH', `${widgets}/a/scale`, { spec: { replicas: 5 } }, merge);
    expect(scale.json).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { replicas: 2 } });
    expect((await api.request('GET', `${widgets}/a`)).json).toMatchObject({ metadata: { generation: 2 }, spec: { size: 5 } });
  });

  it('have owners of their replicas where their kind keeps them', async () => {
    await define(versionOf('v1', { size }));
    await api.request('POST', `${widgets}?fieldManager=author`, widget('a', { size: 2 }));
    await api.request('PATCH', `${widgets}/a/scale?fieldManager=scaler`, { spec: { replicas: 5 } }, merge);
    const { managedFields } = (await api.request('GET', `${widgets}/a`)).json.metadata;
    expect(managedFields.map(({ manager, subresource, fieldsV1 }: Record<string, unknown>) => [manager, subresource, fieldsV1])).toEqual([
      ['scaler', 'scale', { 'f:spec': { 'f:size': {} } }],
      ['author', undefined, { 'f:spec': {} }],
    ]);
  });

  it('are listed by their fields and shown in their columns', async () => {
    await define(versionOf('v1', { size }));
    await api.request('POST', widgets, widget('a', { size: 1 }));
    await api.request('POST', widgets, widget('b', { size: 2 }));
    const { items } = (await api.request('GET', `${widgets}?fieldSelector=spec.size=2`)).json;
    expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['b']);
    const shown = (await api.request('GET', widgets, undefined, table)).json;
    expect(shown.columnDefinitions.map((column: { name: string }) => column.name)).toEqual(['Name', 'Size']);
    expect(shown.rows.map(({ cells }: { cells: unknown[] }) => cells)).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('are applied by their lists, and owned field by field', async () => {
    await define(versionOf('v1', { size, parts }));
    const config = (list: object[]): object => widget('a', { parts: list });
    await api.request('PATCH', `${widgets}/a?fieldManager=one`, config([{ name: 'x', colour: 'red' }]), apply);
    const both = await api.request('PATCH', `${widgets}/a?fieldManager=two`, config([{ name: 'y' }]), apply);
    expect(both.json.spec.parts).toEqual([{ name: 'x', colour: 'red' }, { name: 'y' }]);
    const conflict = await api.request('PATCH', `${widgets}/a?fieldManager=two`, config([{ name: 'x', colour: 'blue' }]), apply);
    expect(conflict.json.message).toContain('.spec.parts[name="x"].colour');
    const owners = both.json.metadata.managedFields.map(({ manager }: { manager: string }) => manager);
    expect(owners).toEqual(['one', 'two']);
  });

  it('are read and written in each version of their kind', async () => {
    const text = { type: 'string' };
    await define(
      versionOf('v1', { size, note: text }),
      versionOf('v2', { size }, { storage: false, subresources: {}, additionalPrinterColumns: [], selectableFields: [] }),
    );
    await api.request('POST', widgets, widget('a', { note: 'n' }));
    const other = widgets.replace('/v1/', '/v2/');
    const shown = (await api.request('GET', `${other}/a`)).json;
    expect(shown).toMatchObject({ apiVersion: 'example-one.com/v2', spec: { size: 3 } });
    expect(shown.spec.note).toBeUndefined();
    const written = await api.request('PATCH', `${other}/a`, { spec: { size: 4 } }, merge);
    expect(written.json).toMatchObject({ apiVersion: 'example-one.com/v2', spec: { size: 4 } });
    expect((await api.request('GET', `${widgets}/a`)).json).toMatchObject({ apiVersion: 'example-one.com/v1', spec: { size: 4 } });
  });

  it('may stay as wrong as they were when their kind is made stricter', async () => {
    const rule = { rule: 'self > 5', message: 'too small' };
    const plain = { type: 'integer' };
    await define(versionOf('v1', { size: plain, note: { type: 'string' } }));
    await api.request('POST', widgets, widget('a', { size: 1 }));
    await redefine(versionOf('v1', { size: { ...plain, 'x-kubernetes-validations': [rule] }, note: { type: 'string' } }));
    const kept = await api.request('PATCH', `${widgets}/a`, { spec: { note: 'n' } }, merge);
    expect(kept).toMatchObject({ status: 200, headers: { Warning: ['299 - "spec.size: Invalid value: \\"integer\\": too small"'] } });
    expect((await api.request('PATCH', `${widgets}/a`, { spec: { size: 2 } }, merge)).json.message).toContain('too small');
    expect((await api.request('POST', widgets, widget('b', { size: 1 }))).status).toBe(422);
  });

  it('are shown as their kind is now, and in the past as it was then', async () => {
    await define(versionOf('v1', { size }));
    await api.request('POST', widgets, widget('a', { size: 1 }));
    const before = api.runtime.state.position;
    await redefine(versionOf('v1', { size, note: { type: 'string', default: 'new' } }));
    expect((await api.request('GET', `${widgets}/a`)).json.spec).toEqual({ note: 'new', size: 1 });
    expect((await api.request('GET', `/at/${before}${widgets}/a`)).json.spec).toEqual({ size: 1 });
    expect((await api.request('GET', `/at/1${widgets}`)).status).toBe(404);
    await api.request('PATCH', `${definitions}/${name}`, { metadata: { finalizers: null } }, merge);
    await api.request('DELETE', `${definitions}/${name}`);
    await api.request('PATCH', `${definitions}/${name}`, { metadata: { finalizers: null } }, merge);
    expect((await api.request('GET', `${widgets}/a`)).status).toBe(404);
    expect((await api.request('GET', `/at/${before}${widgets}/a`)).json.spec).toEqual({ size: 1 });
    expect((await api.request('GET', `/at/${before}/apis/example-one.com/v1`)).status).toBe(200);
  });

  it('are listed and watched at a moment of the past, also after a restart that kept nothing of it', async () => {
    await define(versionOf('v1', { size }));
    await api.request('POST', widgets, widget('a', { size: 4 }));
    const at = `/at/${api.runtime.state.position}`;
    await api.request('PATCH', `${widgets}/a`, { spec: { size: 5 } }, merge);
    expect((await api.request('GET', `${at}${widgets}`)).json).toMatchObject({ kind: 'WidgetList', items: [{ spec: { size: 4 } }] });
    expect((await api.request('GET', `${at}${widgets}?fieldSelector=spec.size=5`)).json.items).toEqual([]);
    expect((await api.request('GET', `${at}${widgets}`, undefined, table)).json.rows[0].cells).toEqual(['a', 4]);
    const watch = await api.watch(`${at}${widgets}?watch=1`);
    expect(watch.takeNames()).toEqual(['ADDED a']);
    watch.close();
    const again = await ApiFixture.start(api.log);
    expect((await again.request('GET', `${at}${widgets}/a`)).json).toMatchObject({ kind: 'Widget', spec: { size: 4 } });
    expect((await again.request('GET', `${widgets}/a`)).json).toMatchObject({ kind: 'Widget', spec: { size: 5 } });
    await again.close();
  });

  it('are watched as long as their kind stays as it is', async () => {
    await define(versionOf('v1', { size }));
    const watch = await api.watch(`${widgets}?watch=1`);
    await api.request('POST', widgets, widget('a', {}));
    expect(watch.takeNames()).toEqual(['ADDED a']);
    await api.request('PATCH', `${definitions}/${name}`, { metadata: { labels: { a: 'b' } } }, merge);
    await redefine(versionOf('v1', { size: { type: 'integer' } }));
    for (let tries = 0; !watch.ended && tries < 100; tries++) await sleep(50);
    expect(watch.ended).toBe(true);
    const again = await api.watch(`${widgets}?watch=1`);
    expect(again.takeNames()).toEqual(['ADDED a']);
    again.close();
  });
});

describe('documents of custom kinds', () => {
  it('tell clients by which patches their objects are changed', async () => {
    await define(versionOf('v1', { size }));
    const document = (await api.request('GET', '/openapi/v3/apis/example-one.com/v1')).json;
    const { patch } = document.paths['/apis/example-one.com/v1/namespaces/{namespace}/widgets/{name}'];
    expect(Object.keys(patch.requestBody.content)).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    expect(document.components.schemas['com.example-one.v1.Widget']).toMatchObject({
      properties: { spec: { properties: { size } }, metadata: { allOf: [{}] } },
      'x-kubernetes-group-version-kind': [{ group: 'example-one.com', version: 'v1', kind: 'Widget' }],
    });
  });
});
