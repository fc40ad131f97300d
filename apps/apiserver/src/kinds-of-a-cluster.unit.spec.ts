import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newKindCatalogue } from '#libs/kube-api';
import { widgetKind } from '../../../libs/kube-api/src/kinds/widgets.fixture';
import { ApiFixture } from './testing/api-fixture.fixture';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

describe('a kind that one cluster has and another has not', () => {
  let one: ApiFixture;
  let other: ApiFixture;

  beforeEach(async () => {
    one = await ApiFixture.start();
    other = await ApiFixture.start();
    const kinds = newKindCatalogue();
    one.runtime.state.kinds = kinds;
    // Asked for before the kind comes: what was made of the kinds until then must not stay.
    expect((await one.request('GET', '/apis/example.com')).status).toBe(404);
    kinds.add(widgetKind());
  });

  afterEach(async () => {
    await one.close();
    await other.close();
  });

  it('is created, read, listed, updated, watched and deleted there', async () => {
    const watch = await one.watch(`${widgets}?watch=1`);
    const made = await one.request('POST', widgets, {
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      metadata: { name: 'w' },
      spec: { size: 4 },
    });
    expect(made).toMatchObject({
      status: 201,
      json: { kind: 'Widget', apiVersion: 'example.com/v1', spec: { size: 4 }, metadata: { generation: 1 } },
    });
    const list = await one.request('GET', `${widgets}?fieldSelector=spec.size=4`);
    expect(list.json).toMatchObject({ kind: 'WidgetList', items: [{ metadata: { name: 'w' } }] });
    expect((await one.request('GET', `${widgets}?fieldSelector=spec.other=4`)).json.message).toBe('field label not supported: spec.other');
    const shown = await one.request('GET', widgets, undefined, table);
    expect(shown.json.rows[0].cells).toEqual(['w', 4, '0s']);
    const merge = { 'content-type': 'application/merge-patch+json' };
    expect((await one.request('PATCH', `${widgets}/w`, { spec: { size: 5 } }, merge)).json.metadata.generation).toBe(2);
    expect((await one.request('PATCH', `${widgets}/w/status`, { status: { ready: true } }, merge)).json).toMatchObject({
      spec: { size: 5 },
      status: { ready: true },
    });
    expect((await one.request('DELETE', `${widgets}/w`)).json).toMatchObject({
      status: 'Success',
      details: { kind: 'widgets', group: 'example.com' },
    });
    await one.runtime.whenFolded(one.runtime.state.position);
    expect(watch.takeNames()).toEqual(['ADDED w', 'MODIFIED w', 'MODIFIED w', 'DELETED w']);
    watch.close();
  });

  it('is held to its schema and its rules', async () => {
    const create = (spec: object, query = '') => one.request('POST', `${widgets}${query}`, { metadata: { name: 'w' }, spec });
    expect((await create({ size: 11 })).json.message).toBe(
      'Widget.example.com "w" is invalid: spec.size: Invalid value: 11: should be less than or equal to 10',
    );
    expect((await create({ size: 'big' })).json.message).toContain(
      'json: cannot unmarshal string into Go struct field WidgetSpec.spec.size',
    );
    expect((await create({ colour: 'red' }, '?fieldValidation=Strict')).json.message).toContain('unknown field "spec.colour"');
    const wrong = await one.request('POST', '/api/v1/namespaces/default/configmaps', {
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      metadata: { name: 'w' },
    });
    expect(wrong.json.message).toContain(
      'cannot be handled as a ConfigMap: converting (v1.Widget) to (core.ConfigMap): unknown conversion',
    );
  });

  it('is in discovery and in OpenAPI there, and unknown to the other', async () => {
    const groups = async (fixture: ApiFixture) => (await fixture.request('GET', '/apis', undefined, aggregated)).text;
    expect(await groups(one)).toContain('"widgets"');
    expect(await groups(other)).not.toContain('widgets');
    expect((await one.request('GET', '/apis/example.com/v1')).json.resources.map(({ name }: { name: string }) => name)).toEqual([
      'widgets',
      'widgets/status',
    ]);
    const document = await one.request('GET', '/openapi/v3/apis/example.com/v1');
    expect(document.json.components.schemas['com.example.v1.Widget'].properties.spec).toBeDefined();
    expect((await other.request('GET', '/openapi/v3/apis/example.com/v1')).status).toBe(404);
    expect((await other.request('GET', widgets)).status).toBe(404);
    expect((await other.request('POST', widgets, { metadata: { name: 'w' } })).status).toBe(404);
  });
});
