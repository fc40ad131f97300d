import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { established } from '../../apps/apiserver/src/testing/established.fixture';
import { ApiUnderTest, type Received } from '../api-under-test.fixture';
import { eventsIn } from '../mutants/stored-log';
import { expectReplayed } from '../proven.fixture';
import { allow, answer, patch, TestWebhook } from './webhook.fixture';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'stable.example.com';
const v1 = `/apis/${group}/v1/namespaces/default/widgets`;
const v2 = `/apis/${group}/v2/namespaces/default/widgets`;
const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

interface Widget {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    generation?: number;
    managedFields?: { manager: string; apiVersion: string; fieldsV1: object }[];
  };
  spec: { colour?: string; color?: string; size?: number };
  message?: string;
  items?: Widget[];
  rows?: { cells: unknown[] }[];
}

interface ConversionReview {
  request: { uid: string; desiredAPIVersion: string; objects: Widget[] };
}

/** `spec.colour` of v1 is `spec.color` of v2. */
function renamed(desired: string, { spec, ...rest }: Widget): object {
  const { colour, color, ...other } = spec;
  const name = colour ?? color;
  const named = name === undefined ? {} : desired.endsWith('/v1') ? { colour: name } : { color: name };
  return { ...rest, apiVersion: desired, spec: { ...other, ...named } };
}

const version = (name: string, field: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  additionalPrinterColumns: [{ name: 'Colour', type: 'string', jsonPath: `.spec.${field}` }],
  selectableFields: [{ jsonPath: `.spec.${field}` }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { [field]: { type: 'string', maxLength: 5 }, size: { type: 'integer', default: 1 } } },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
});

describe('a conversion webhook', () => {
  let api: ApiUnderTest;
  let webhook: TestWebhook;

  const sent = ({ status, body }: Received): { status: number; json: Widget } => ({ status, json: JSON.parse(body) as Widget });
  const send = async (method: string, path: string, body?: object, headers?: Record<string, string>): Promise<ReturnType<typeof sent>> =>
    sent(await api.send({ method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) }));
  const widget = (name: string, of: string, spec: object): object => ({
    apiVersion: `${group}/${of}`,
    kind: 'Widget',
    metadata: { name },
    spec,
  });
  const asked = (): ConversionReview['request'][] => webhook.reviews.map((review) => (review as unknown as ConversionReview).request);

  async function define(storage: 'v1' | 'v2', only?: 'v1'): Promise<void> {
    const versions = [version('v1', 'colour', storage === 'v1'), version('v2', 'color', storage === 'v2')];
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: webhook.client('/convert'), conversionReviewVersions: ['v1'] },
    };
    const spec = { group, scope: 'Namespaced', names, ...(only ? { versions: versions.slice(0, 1) } : { versions, conversion }) };
    const name = `widgets.${group}`;
    const there = await send('GET', `${definitions}/${name}`);
    if (there.status === 200) {
      expect((await send('PATCH', `${definitions}/${name}`, { spec }, merge)).status).toBe(200);
      return;
    }
    const made = await send('POST', definitions, { metadata: { name }, spec });
    expect(made.json.message).toBeUndefined();
    expect((await send('PATCH', `${definitions}/${name}/status`, { status: established(names) }, merge)).status).toBe(200);
  }

  beforeEach(async () => {
    api = await ApiUnderTest.start();
    webhook = await TestWebhook.start();
    webhook.answering = (review, response) => {
      const { request } = review as unknown as ConversionReview;
      const { uid, desiredAPIVersion, objects } = request;
      const convertedObjects = objects.map((object) => renamed(desiredAPIVersion, object));
      answer(response, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        response: { uid, result: { status: 'Success' }, convertedObjects },
      });
    };
  });
  afterEach(async () => {
    webhook.close();
    await api.close();
  });

  const eventsOf = async (...types: string[]): Promise<RecordedEvent[]> =>
    (await eventsIn(api.log)).filter(({ type }) => types.includes(type));

  /** What `verify` and a fold have to say when nobody answers any more. */
  async function replayedWithoutWebhook(): Promise<void> {
    const calls = webhook.reviews.length;
    webhook.close();
    await expectReplayed(api, `widgets.${group}`);
    expect(webhook.reviews).toHaveLength(calls);
  }

  it('shows what is stored in the version that is asked for, and is asked once for each object', async () => {
    await define('v1');
    expect((await send('POST', v1, widget('a', 'v1', { colour: 'red' }))).status).toBe(201);
    expect(asked()).toEqual([]);
    const shown = await send('GET', `${v2}/a`);
    expect(shown).toMatchObject({ status: 200, json: { apiVersion: `${group}/v2`, kind: 'Widget', spec: { color: 'red', size: 1 } } });
    expect(shown.json.spec).not.toHaveProperty('colour');
    expect(shown.json.metadata.managedFields).toHaveLength(1);
    expect((await send('GET', v2)).json.items).toMatchObject([{ apiVersion: `${group}/v2`, spec: { color: 'red' } }]);
    const table = await send('GET', v2, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.json.rows?.[0]?.cells).toEqual(['a', 'red']);
    expect((await send('GET', `${v2}?fieldSelector=spec.color%3Dred`)).json.items).toHaveLength(1);
    expect((await send('GET', `${v2}?fieldSelector=spec.color%3Dblue`)).json.items).toHaveLength(0);
    expect(asked()).toHaveLength(1);
    expect(asked()[0]).toMatchObject({
      desiredAPIVersion: `${group}/v2`,
      objects: [{ apiVersion: `${group}/v1`, spec: { colour: 'red' } }],
    });
    expect(await eventsOf('ConversionAsked')).toEqual([]);
    await replayedWithoutWebhook();
  });

  it('makes of a write in another version what is stored, and its answer is in the log before that', async () => {
    await define('v1');
    const made = await send('POST', v2, widget('a', 'v2', { color: 'red' }));
    expect(made).toMatchObject({ status: 201, json: { apiVersion: `${group}/v2`, spec: { color: 'red', size: 1 } } });
    expect((await send('GET', `${v1}/a`)).json.spec).toEqual({ colour: 'red', size: 1 });
    const long = await send('POST', v2, widget('b', 'v2', { color: 'yellow' }));
    expect(long.json.message).toContain('spec.color: Too long: may not be more than 5 bytes');
    const patched = await send('PATCH', `${v2}/a`, { spec: { color: 'blue' } }, merge);
    expect(patched).toMatchObject({ status: 200, json: { spec: { color: 'blue', size: 1 }, metadata: { generation: 2 } } });
    const put = await send('PUT', `${v2}/a`, { ...patched.json, spec: { color: 'green', size: 2 } });
    expect(put).toMatchObject({ status: 200, json: { spec: { color: 'green', size: 2 } } });
    expect((await send('GET', `${v1}/a`)).json.spec).toEqual({ colour: 'green', size: 2 });
    const order = (await eventsOf('ConversionAsked', 'ConversionAnswered', 'Created', 'Updated'))
      .filter(({ type, stream }) => type.startsWith('Conversion') || stream.includes('widgets.'))
      .filter(({ stream }) => !stream.includes('customresourcedefinitions'))
      .map(({ type }) => type);
    expect(order.slice(0, 3)).toEqual(['ConversionAsked', 'ConversionAnswered', 'Created']);
    const stored = (await eventsOf('Created')).find(({ stream }) => stream.includes(`widgets.${group}`) && stream.endsWith('a'));
    expect(stored?.data.object).toMatchObject({ apiVersion: `${group}/v1`, spec: { colour: 'red', size: 1 } });
    await replayedWithoutWebhook();
  });

  it('shows what changes in the version that is watched, in order, and selects by what it shows', async () => {
    await define('v1');
    await send('POST', v1, widget('a', 'v1', { colour: 'red' }));
    const watched = (query: string): Promise<Received> => api.send({ method: 'GET', path: `${v2}?watch=1&timeoutSeconds=1${query}` });
    const initial = await watched('');
    await send('PATCH', `${v1}/a`, { spec: { colour: 'blue' } }, merge);
    await send('DELETE', `${v1}/a`);
    const later = await Promise.all([watched('&resourceVersion=1'), watched('&fieldSelector=spec.color%3Dred&resourceVersion=1')]);
    const told = [initial, ...later].map(({ body }) =>
      body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; object: Widget })
        .map(({ type, object }) => `${type} ${object.apiVersion} ${object.spec.color}`),
    );
    const [red, blue] = [`${group}/v2 red`, `${group}/v2 blue`];
    expect(told).toEqual([[`ADDED ${red}`], [`ADDED ${red}`, `MODIFIED ${blue}`, `DELETED ${blue}`], [`ADDED ${red}`, `DELETED ${red}`]]);
    await replayedWithoutWebhook();
  });

  it('is behind what admission webhooks have made of a write, and its answer is asked for once where a write is tried again', async () => {
    await define('v1');
    const answering = webhook.answering;
    webhook.answering = (review, response, path) => {
      if (!path.startsWith('/review')) return answering(review, response, path);
      return allow(review, response, patch([{ op: 'add', path: '/spec/color', value: 'black' }]));
    };
    const rules = [{ apiGroups: [group], apiVersions: ['v2'], operations: ['*'], resources: ['widgets'] }];
    const configuration = {
      name: 'paint.example.com',
      rules,
      clientConfig: webhook.client(),
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    };
    await send('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'paint' },
      webhooks: [configuration],
    });
    expect((await send('POST', v2, widget('a', 'v2', { color: 'red' }))).json.spec).toEqual({ color: 'black', size: 1 });
    expect((await send('POST', v1, widget('b', 'v1', { colour: 'red' }))).json.spec).toEqual({ colour: 'black', size: 1 });
    expect((await send('PATCH', `${v1}/b/status`, { status: { seen: true } }, merge)).json.spec).toEqual({ colour: 'black', size: 1 });
    const status = await send('PATCH', `${v2}/b/status`, { status: { seen: false } }, merge);
    expect(status).toMatchObject({ status: 200, json: { spec: { color: 'black' }, status: { seen: false } } });
    await replayedWithoutWebhook();
  });

  it('keeps owners of fields by the names of their own version', async () => {
    await define('v1');
    const applied = (path: string, of: string, manager: string, spec: object, force = ''): Promise<ReturnType<typeof sent>> =>
      send('PATCH', `${path}/a?fieldManager=${manager}${force}`, widget('a', of, spec), apply);
    expect((await applied(v2, 'v2', 'two', { color: 'red' })).status).toBe(201);
    const conflict = await applied(v1, 'v1', 'one', { colour: 'blue' });
    expect(conflict).toMatchObject({ status: 409 });
    expect(conflict.json.message).toContain('conflict with "two": .spec.color');
    const taken = await applied(v1, 'v1', 'one', { colour: 'blue' }, '&force=true');
    expect(taken).toMatchObject({ status: 200, json: { spec: { colour: 'blue' } } });
    expect(taken.json.metadata.managedFields).toMatchObject([
      { manager: 'one', apiVersion: `${group}/v1`, fieldsV1: { 'f:spec': { 'f:colour': {} } } },
    ]);
    const own = await applied(v1, 'v1', 'one', { size: 4 });
    expect(own.json.spec).toEqual({ size: 4 });
    await replayedWithoutWebhook();
  });

  it('shows objects of before in the version in which they are stored from now on', async () => {
    await define('v1', 'v1');
    expect((await send('POST', v1, widget('a', 'v1', { colour: 'red' }))).status).toBe(201);
    await define('v2');
    expect((await send('GET', `${v2}/a`)).json.spec).toEqual({ color: 'red', size: 1 });
    expect((await send('GET', `${v1}/a`)).json.spec).toEqual({ colour: 'red', size: 1 });
    expect(asked()).toHaveLength(1);
    // Written anew it is stored in the new version, though nothing else of it changes.
    const { json } = await send('GET', `${v2}/a`);
    const put = await send('PUT', `${v2}/a`, json);
    expect(put.status).toBe(200);
    expect(put.json.metadata.resourceVersion).not.toBe(json.metadata.resourceVersion);
    expect((await send('PUT', `${v2}/a`, put.json)).json.metadata.resourceVersion).toBe(put.json.metadata.resourceVersion);
    expect((await send('GET', `${v1}/a`)).json.spec).toEqual({ colour: 'red', size: 1 });
    await replayedWithoutWebhook();
  });

  it('that fails lets nothing be read or written in another version, and says why', async () => {
    await define('v1');
    await send('POST', v1, widget('a', 'v1', { colour: 'red' }));
    webhook.answering = (review, response) => {
      const { uid } = review.request;
      answer(response, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        response: { uid, result: { status: 'Failed', message: 'not today' }, convertedObjects: [] },
      });
    };
    const text = (from: string): string => `conversion webhook for ${group}/${from}, Kind=Widget failed: not today`;
    expect(await send('GET', `${v2}/a`)).toMatchObject({ status: 500, json: { message: text('v1') } });
    expect(await send('GET', v2)).toMatchObject({ status: 500, json: { message: text('v1') } });
    expect(await send('POST', v2, widget('b', 'v2', { color: 'red' }))).toMatchObject({ status: 500, json: { message: text('v2') } });
    expect(await send('PATCH', `${v2}/a`, { spec: { color: 'blue' } }, merge)).toMatchObject({
      status: 500,
      json: { message: text('v1') },
    });
    expect(await send('DELETE', `${v2}/a`)).toMatchObject({ status: 500, json: { message: text('v1') } });
    expect(await send('GET', `${v1}/a`)).toMatchObject({ status: 200 });
    expect((await send('GET', v1)).json.items).toHaveLength(1);
    webhook.close();
    const gone = await send('GET', `${v2}/a`);
    const url = `https://127.0.0.1:`;
    expect(gone.json.message).toContain(`conversion webhook for ${group}/v1, Kind=Widget failed: Post "${url}`);
    await replayedWithoutWebhook();
  });

  it('that fails for an object of one namespace lets the others be listed and watched', async () => {
    await define('v1');
    const elsewhere = `/apis/${group}/v1/namespaces/kube-system/widgets`;
    await send('POST', elsewhere, widget('broken', 'v1', { colour: 'red' }));
    await send('POST', v1, widget('a', 'v1', { colour: 'red' }));
    const { answering } = webhook;
    webhook.answering = (review, response, path) => {
      const { uid, objects } = (review as unknown as ConversionReview).request;
      if (objects.every((object) => object.metadata.name !== 'broken')) answering(review, response, path);
      else
        answer(response, {
          kind: 'ConversionReview',
          response: { uid, result: { status: 'Failed', message: 'broken' }, convertedObjects: [] },
        });
    };
    expect((await send('GET', `${v2}?fieldSelector=spec.color%3Dred`)).json.items).toMatchObject([{ metadata: { name: 'a' } }]);
    const watched = await api.send({ method: 'GET', path: `${v2}?watch=1&timeoutSeconds=1` });
    expect(JSON.parse(watched.body.trim())).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' }, spec: { color: 'red' } } });
    expect((await send('GET', `/apis/${group}/v2/widgets`)).status).toBe(500);
    await replayedWithoutWebhook();
  });

  it('is not asked about the past: what it answered to writes is shown, and nothing else', async () => {
    await define('v1');
    const first = await send('POST', v2, widget('a', 'v2', { color: 'red' }));
    await send('PATCH', `${v2}/a`, { spec: { color: 'blue' } }, merge);
    const calls = asked().length;
    const then = `/at/${first.json.metadata.resourceVersion}`;
    expect((await send('GET', `${then}${v2}/a`)).json.message).toBeUndefined();
    expect((await send('GET', `${then}${v2}/a`)).json.spec).toEqual({ color: 'red', size: 1 });
    expect((await send('GET', `${then}${v1}/a`)).json.spec).toEqual({ colour: 'red', size: 1 });
    const last = `/at/${api.control.runtime.state.position}`;
    const unknown = await send('GET', `${last}${v2}/a`);
    expect(unknown).toMatchObject({ status: 500 });
    expect(unknown.json.message).toContain('nobody is asked about the past');
    expect(asked()).toHaveLength(calls);
    await replayedWithoutWebhook();
  });
});
