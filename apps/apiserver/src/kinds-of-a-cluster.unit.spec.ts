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

  it('is read there at a moment of the past, and watched up to it', async () => {
    const { version, ...then } = await sizeFourThenFive();
    const at = `/at/${version}`;
    expect((await one.request('GET', `${at}${widgets}/w`)).json).toMatchObject(then);
    expect((await one.request('GET', `${at}${widgets}`)).json).toMatchObject({ kind: 'WidgetList', items: [{ spec: { size: 4 } }] });
    expect((await one.request('GET', `${at}${widgets}?fieldSelector=spec.size=5`)).json.items).toEqual([]);
    expect((await one.request('GET', `${at}${widgets}`, undefined, table)).json.rows[0].cells).toEqual(['w', 4, '0s']);
    const watch = await one.watch(`${at}${widgets}?watch=1`);
    expect(watch.takeNames()).toEqual(['ADDED w']);
    watch.close();
    expect((await one.request('GET', `${at}/apis/example.com/v1`)).json.resources[0].name).toBe('widgets');
    expect((await other.request('GET', `/at/1${widgets}`)).status).toBe(404);
  });

  it('is read from the log there, after a restart that kept nothing of the past', async () => {
    const { version, ...then } = await sizeFourThenFive();
    const again = await ApiFixture.start(one.log);
    again.runtime.state.kinds = one.runtime.state.kinds;
    expect((await again.request('GET', `/at/${version}${widgets}/w`)).json).toMatchObject(then);
    await again.close();
  });

  /** A widget and its version before its size became another. */
  async function sizeFourThenFive(): Promise<{ version: string; kind: string; spec: object }> {
    const made = await one.request('POST', widgets, { metadata: { name: 'w' }, spec: { size: 4 } });
    await one.request('PATCH', `${widgets}/w`, { spec: { size: 5 } }, { 'content-type': 'application/merge-patch+json' });
    return { version: made.json.metadata.resourceVersion, kind: 'Widget', spec: { size: 4 } };
  }

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
