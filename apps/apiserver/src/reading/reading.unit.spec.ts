import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiFixture } from '../testing/api-fixture.fixture';
import { decodeContinue, encodeContinue } from './continue-token';

const collection = '/api/v1/namespaces/default/configmaps';
let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start();
});
afterEach(() => api.close());

const namesOf = (list: { items: { metadata: { name: string } }[] }): string[] => list.items.map(({ metadata }) => metadata.name);

describe('get', () => {
  it('gives kind and apiVersion first, then what is stored', async () => {
    await api.configMap('a', { data: { x: '1' } });
    const { status, text } = await api.request('GET', `${collection}/a`);
    expect(status).toBe(200);
    expect(text.startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"')).toBe(true);
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('refuses names that are not there, and versions that are not yet', async () => {
    expect(await api.request('GET', `${collection}/none`)).toMatchObject({
      status: 404,
      json: { reason: 'NotFound', details: { name: 'none', kind: 'configmaps' } },
    });
    await api.configMap('a');
    expect(await api.request('GET', `${collection}/a?resourceVersion=999999`)).toMatchObject({
      status: 504,
      headers: { 'Retry-After': '1' },
    });
    expect(await api.request('GET', `${collection}/a?resourceVersion=abc`)).toMatchObject({ status: 500 });
    expect(await api.request('GET', `${collection}/__proto__`)).toMatchObject({ status: 404 });
  });

  it('shows the metadata alone, YAML, and indented text', async () => {
    await api.configMap('a', { data: { x: '1' } });
    const partial = await api.request('GET', `${collection}/a`, undefined, {
      accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    });
    expect(Object.keys(partial.json)).toEqual(['kind', 'apiVersion', 'metadata']);
    const yaml = await api.request('GET', `${collection}/a`, undefined, { accept: 'application/yaml' });
    expect(yaml.contentType).toBe('application/yaml');
    expect(yaml.text).toMatch(/^apiVersion: v1\ndata:\n {2}x: "1"\nkind: ConfigMap\n/);
    expect((await api.request('GET', `${collection}/a?pretty=1`)).text).toContain('\n  "kind": "ConfigMap"');
  });
});

describe('list', () => {
  it('sorts by key and names the version; items carry neither kind nor apiVersion', async () => {
    for (const name of ['b', 'a0', 'a']) await api.configMap(name);
    const { json } = await api.request('GET', collection);
    expect(namesOf(json)).toEqual(['a', 'a0', 'b']);
    expect(json).toMatchObject({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(api.runtime.state.position) },
    });
    expect(json.items[0].kind).toBeUndefined();
  });

  it('shows all pages as of the first one', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await api.configMap(name);
    const first = (await api.request('GET', `${collection}?limit=2`)).json;
    expect(first.metadata.remainingItemCount).toBe(3);
    await api.request('DELETE', `${collection}/c`);
    await api.configMap('cc');
    const second = (await api.request('GET', `${collection}?limit=2&continue=${first.metadata.continue}`)).json;
    const third = (await api.request('GET', `${collection}?limit=2&continue=${second.metadata.continue}`)).json;
    expect([namesOf(first), namesOf(second), namesOf(third)]).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect([second.metadata.resourceVersion, third.metadata.resourceVersion]).toEqual([
      first.metadata.resourceVersion,
      first.metadata.resourceVersion,
    ]);
    expect(third.metadata).not.toHaveProperty('continue');
  });

  it('pages over all namespaces, and over what has none', async () => {
    await api.configMap('a');
    const pages: string[] = [];
    for (const path of ['/api/v1/configmaps', '/api/v1/namespaces']) {
      let token = '';
      do {
        const { json } = await api.request('GET', `${path}?limit=1${token && `&continue=${token}`}`);
        pages.push(
          ...json.items.map(
            ({ metadata }: { metadata: { namespace?: string; name: string } }) => `${metadata.namespace ?? ''}/${metadata.name}`,
          ),
        );
        token = json.metadata.continue ?? '';
      } while (token !== '');
    }
    expect(pages).toEqual([
      'default/a',
      'kube-system/extension-apiserver-authentication',
      'kube-system/kube-apiserver-legacy-service-account-token-tracking',
      '/default',
      '/kube-node-lease',
      '/kube-public',
      '/kube-system',
    ]);
  });

  it('selects by labels and fields, and then does not count the rest', async () => {
    await api.configMap('a', { metadata: { labels: { tier: 'gold' } } });
    await api.configMap('b');
    await api.configMap('c', { metadata: { labels: { tier: 'gold' } } });
    const { json } = await api.request('GET', `${collection}?labelSelector=tier%3Dgold&limit=1`);
    expect(namesOf(json)).toEqual(['a']);
    expect(json.metadata).not.toHaveProperty('remainingItemCount');
    expect(namesOf((await api.request('GET', `${collection}?fieldSelector=metadata.name%3Db`)).json)).toEqual(['b']);
    expect(await api.request('GET', `${collection}?fieldSelector=spec.x%3Db`)).toMatchObject({ status: 400 });
  });

  it('selects the same with an index as without', async () => {
    for (let i = 0; i < 40; i++)
      await api.configMap(`m${String(i).padStart(2, '0')}`, { metadata: { labels: { tier: i % 10 === 0 ? 'gold' : 'tin' } } });
    const listed = async (query: string) => (await api.request('GET', `${collection}?${query}`)).json;
    const gold = 'labelSelector=tier%3Dgold';
    for (let time = 0; time < 3; time++) expect(namesOf(await listed(gold))).toEqual(['m00', 'm10', 'm20', 'm30']);
    const first = await listed(`${gold}&limit=3`);
    expect(namesOf(first)).toEqual(['m00', 'm10', 'm20']);
    expect(namesOf(await listed(`${gold}&limit=3&continue=${first.metadata.continue}`))).toEqual(['m30']);
    await api.request('DELETE', `${collection}/m10`);
    await api.configMap('m151', { metadata: { labels: { tier: 'gold', other: 'x' } } });
    expect(namesOf(await listed(gold))).toEqual(['m00', 'm151', 'm20', 'm30']);
    expect(namesOf(await listed('labelSelector=tier+in+(gold),other'))).toEqual(['m151']);
    expect(namesOf((await api.request('GET', '/api/v1/namespaces/kube-system/configmaps?labelSelector=tier%3Dgold')).json)).toEqual([]);
    for (let time = 0; time < 3; time++)
      expect(namesOf((await api.request('GET', '/api/v1/configmaps?fieldSelector=metadata.name%3Dm151')).json)).toEqual(['m151']);
  });

  it('answers exactly an older version, from memory and from the log', async () => {
    const version = (await api.configMap('a')).json.metadata.resourceVersion;
    await api.configMap('b');
    const exact = `${collection}?resourceVersion=${version}&resourceVersionMatch=Exact`;
    expect(namesOf((await api.request('GET', exact)).json)).toEqual(['a']);
    const resumed = await ApiFixture.start(api.log, Date.UTC(2026, 0, 2));
    const answer = (await resumed.request('GET', exact)).json;
    expect([namesOf(answer), answer.metadata.resourceVersion]).toEqual([['a'], version]);
    await resumed.close();
  });

  it('refuses one object asked for as a list', async () => {
    await api.configMap('a');
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const { status, json } = await api.request('GET', `${collection}/a`, undefined, { accept });
    expect([status, json.message]).toEqual([
      406,
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    ]);
  });

  it('shows metadata alone without what only the served version has', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const body = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    expect((await api.request('POST', path, body)).json.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' });
    const partial = await api.request('GET', `${path}/d`, undefined, {
      accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    });
    expect(partial.json.metadata).toMatchObject({ name: 'd', generation: 1 });
    expect(partial.json.metadata).not.toHaveProperty('annotations');
  });

  it('compresses nothing itself and refuses a list asked for as one object', async () => {
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const { status, json } = await api.request('GET', collection, undefined, { accept });
    expect([status, json.message]).toEqual([
      406,
      'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
    ]);
  });
});

describe('continue tokens', () => {
  it('come back as they went', () => {
    expect(decodeContinue(encodeContinue({ version: 7, start: 'a/b\0' }))).toEqual({ version: 7, start: 'a/b\0' });
  });

  it("are refused in upstream's words", () => {
    expect(decodeContinue('garbage')).toMatchObject({
      code: 400,
      message: "invalid continue token: continue key is not valid: invalid character '\\u0081' looking for beginning of value",
    });
    expect(decodeContinue(Buffer.from('{"v":"v2","rv":5,"start":"a"}').toString('base64url'))).toMatchObject({
      message: 'invalid continue token: continue key is not valid: server does not recognize this encoded version v2',
    });
    for (const token of [
      '!',
      'e30',
      encodeContinue({ version: 0, start: 'a' }),
      encodeContinue({ version: 1, start: '../a' }),
      encodeContinue({ version: 1, start: '' }),
    ]) {
      expect(decodeContinue(token)).toMatchObject({ code: 400 });
    }
  });
});
