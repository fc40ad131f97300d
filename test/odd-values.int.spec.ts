import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiUnderTest } from './api-under-test.fixture';
import { oddRequest, servedKinds } from './odd-values.fixture';

/** Requests of one test; each seed is a test of its own, so that a failure names it. */
const requestsPerSeed = 300;
/** More of them, or others, on demand: ODD_SEEDS=a,b,c. */
const seeds = (process.env.ODD_SEEDS ?? 'one,two,three,four').split(',');

let api: ApiUnderTest;
const account = { method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts', body: '{"metadata":{"name":"default"}}' };

beforeAll(async () => {
  api = await ApiUnderTest.start();
  expect((await api.send(account)).status).toBe(201);
});
afterAll(() => api.close());

describe('odd values anywhere in paths and bodies of every served kind', () => {
  it.each(seeds)(
    'are refused, or taken whole: seed %s',
    async (seed) => {
      const failures: string[] = [];
      let events = (await api.objectEvents()).length;
      for (let index = 0; index < requestsPerSeed; index++) {
        const request = oddRequest(seed, index);
        const { status, body } = await api.send(request);
        const after = (await api.objectEvents()).length;
        const internal = status >= 500 && /InternalError|Internal error occurred/.test(body);
        const halfWritten = status >= 400 && after !== events;
        if (internal || halfWritten)
          failures.push(
            `${index}: ${request.method} ${request.path.slice(0, 200)} ${String(request.body).slice(0, 600)} → ${status} ${body.slice(0, 300)}`,
          );
        events = after;
      }
      expect(failures).toEqual([]);
    },
    60_000,
  );

  it('leave every list readable, in every form', async () => {
    for (const kind of servedKinds.filter(({ verbs }) => verbs.includes('list'))) {
      const path = `${kind.group === '' ? '/api' : `/apis/${kind.group}`}/${kind.version}/${kind.resource}`;
      const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
      expect({ path, status: (await api.send({ method: 'GET', path })).status }).toEqual({ path, status: 200 });
      expect({ path, status: (await api.send({ method: 'GET', path, headers: table })).status }).toEqual({ path, status: 200 });
    }
  });
});

describe('values that upstream takes', () => {
  const json = { 'content-type': 'application/json' };
  const namespace = '/api/v1/namespaces/default';
  const event = (name: string): string =>
    `{"metadata":{"name":"${name}"},"involvedObject":{"kind":"Pod","name":"p","namespace":"default"},"reason":"r"}`;

  it('keeps a null in the data of a Secret or a ConfigMap as no bytes', async () => {
    for (const [resource, field] of [
      ['secrets', 'data'],
      ['configmaps', 'binaryData'],
    ]) {
      const body = `{"metadata":{"name":"nothing"},"${field}":{"k":null}}`;
      const created = await api.send({ method: 'POST', path: `${namespace}/${resource}`, headers: json, body });
      expect({ status: created.status, object: JSON.parse(created.body) }).toMatchObject({
        status: 201,
        object: { [field as string]: { k: '' } },
      });
    }
  });

  it('finds an Event again whose name has a NUL', async () => {
    const created = await api.send({ method: 'POST', path: `${namespace}/events`, headers: json, body: event('a\\u0000b') });
    expect(created.status).toBe(201);
    const path = `${namespace}/events/a%00b`;
    expect(JSON.parse((await api.send({ method: 'GET', path })).body)).toMatchObject({ kind: 'Event', metadata: { name: 'a\0b' } });
    expect((await api.send({ method: 'DELETE', path })).status).toBe(200);
    expect((await api.send({ method: 'GET', path })).status).toBe(404);
  });

  it('reads half a character as U+FFFD, as Go does, also in a key', async () => {
    const body = '{"metadata":{"name":"half","annotations":{"a":"x\\ud800y"}},"data":{"k":"\\udc00"}}';
    const created = await api.send({ method: 'POST', path: `${namespace}/configmaps`, headers: json, body });
    expect(JSON.parse(created.body)).toMatchObject({ metadata: { annotations: { a: 'x\ufffdy' } }, data: { k: '\ufffd' } });
    const named = await api.send({ method: 'POST', path: `${namespace}/events`, headers: json, body: event('only-half\\ud800') });
    expect(JSON.parse(named.body)).toMatchObject({ metadata: { name: 'only-half\ufffd' } });
  });

  it('refuses half a character in YAML, as Go does', async () => {
    const body = 'metadata:\n  name: half-yaml\ndata:\n  k: "\\ud800"\n';
    const answer = await api.send({
      method: 'POST',
      path: `${namespace}/configmaps`,
      headers: { 'content-type': 'application/yaml' },
      body,
    });
    expect({ status: answer.status, text: JSON.parse(answer.body).message }).toEqual({
      status: 400,
      text: expect.stringContaining('yaml: line 4: found invalid Unicode character escape code'),
    });
  });

  it('lets an Event have a long name, up to the bound that the store sets', async () => {
    const path = `${namespace}/events`;
    const name = 'a'.repeat(1024);
    expect((await api.send({ method: 'POST', path, headers: json, body: event(name) })).status).toBe(201);
    expect(JSON.parse((await api.send({ method: 'GET', path: `${path}/${name}` })).body)).toMatchObject({ metadata: { name } });
    const longer = await api.send({ method: 'POST', path, headers: json, body: event('a'.repeat(20_000)) });
    expect({ status: longer.status, causes: JSON.parse(longer.body).details.causes }).toEqual({
      status: 422,
      causes: [{ reason: 'FieldValueTooLong', message: 'Too long: may not be more than 16384 bytes', field: 'metadata.name' }],
    });
  });

  it('counts a grace that no duration holds as Go does, and keeps integers within 64 bits', async () => {
    const max = '9223372036854775807';
    const spec = `{"nodeName":"n","terminationGracePeriodSeconds":${max},"containers":[{"name":"c","image":"i"}]}`;
    const created = await api.send({
      method: 'POST',
      path: `${namespace}/pods`,
      headers: json,
      body: `{"metadata":{"name":"patient"},"spec":${spec}}`,
    });
    expect(created.status).toBe(201);
    const written = /"terminationGracePeriodSeconds":(\d+)/.exec(created.body)?.[1] ?? '';
    expect(BigInt(written) <= BigInt(max) && BigInt(written) > BigInt(max) - 2048n).toBe(true);
    const deleted = await api.send({
      method: 'DELETE',
      path: `${namespace}/pods/patient`,
      headers: json,
      body: `{"gracePeriodSeconds":${max}}`,
    });
    const { deletionTimestamp } = (JSON.parse(deleted.body) as { metadata: { deletionTimestamp: string } }).metadata;
    expect({ status: deleted.status, isTime: Number.isFinite(Date.parse(deletionTimestamp)) }).toEqual({ status: 200, isTime: true });
  });

  it('refuses a resize that takes all containers away', async () => {
    const body = '{"metadata":{"name":"shrunk"},"spec":{"containers":[{"name":"c","image":"i"}]}}';
    expect((await api.send({ method: 'POST', path: `${namespace}/pods`, headers: json, body })).status).toBe(201);
    const patch = '[{"op":"copy","path":"/spec","from":"/metadata"}]';
    const headers = { 'content-type': 'application/json-patch+json' };
    const resized = await api.send({ method: 'PATCH', path: `${namespace}/pods/shrunk/resize`, headers, body: patch });
    expect({ status: resized.status, reason: JSON.parse(resized.body).reason }).toEqual({ status: 422, reason: 'Invalid' });
  });

  it('minds a version on a creation only where it would be stored, and a version that is no number on an update', async () => {
    const path = `${namespace}/configmaps`;
    const body = (version: string) => `{"metadata":{"name":"versioned","resourceVersion":"${version}"}}`;
    const post = async (version: string, query = ''): Promise<string> => {
      const { status, body: text } = await api.send({ method: 'POST', path: `${path}${query}`, headers: json, body: body(version) });
      return status < 300 ? String(status) : `${status} ${(JSON.parse(text) as { message: string }).message}`;
    };
    expect(await post('7', '?dryRun=All')).toBe('201');
    expect(await post('7')).toBe('500 resourceVersion should not be set on objects to be created');
    expect(await post('abc')).toBe('201');
    const updated = await api.send({ method: 'PUT', path: `${path}/versioned`, headers: json, body: body('abc') });
    expect(JSON.parse(updated.body)).toMatchObject({ code: 500, message: 'strconv.ParseUint: parsing "abc": invalid syntax' });
  });
});
