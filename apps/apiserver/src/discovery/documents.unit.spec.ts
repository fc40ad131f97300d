import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiFixture } from '../testing/api-fixture.fixture';

let api: ApiFixture;
beforeAll(async () => {
  api = await ApiFixture.start();
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => api.request('GET', path, undefined, headers);
const raw = async (path: string, headers: Record<string, string> = {}) => {
  const handled = await api.handle('GET', path, undefined, headers);
  if (!('body' in handled)) throw new Error(`${path} is answered by a stream`);
  return { ...handled, body: Buffer.from(handled.body as Buffer) };
};
const place = '/openapi/v3/apis/scheduling.k8s.io/v1';

describe('OpenAPI documents', () => {
  it('are kept by clients for as long as their hash holds', async () => {
    const { json } = { json: JSON.parse((await get('/openapi/v3')).text) as { paths: Record<string, { serverRelativeURL: string }> } };
    const address = json.paths['apis/scheduling.k8s.io/v1']?.serverRelativeURL as string;
    const current = await get(address);
    expect(current).toMatchObject({ status: 200, contentType: 'application/json' });
    expect(current.headers['Cache-Control']).toBe('public, immutable');
    const etag = current.headers['Etag'] as string;
    expect(address).toContain(`hash=${JSON.parse(etag)}`);
    expect((await get(place)).headers['Cache-Control']).toBeUndefined();
    expect(await get(`${place}?hash=0000`)).toMatchObject({ status: 301, headers: { Location: address } });
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*'])
      expect(await get(place, { 'if-none-match': known })).toMatchObject({ status: 304, text: '', headers: { Etag: etag } });
    expect((await get(place, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('come as JSON or protobuf, and as nothing else', async () => {
    const protobuf = await raw(place, { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' });
    expect(protobuf.contentType).toBe('application/com.github.proto-openapi.spec.v3.v1.0+protobuf');
    // Field 1, five bytes: the version of OpenAPI.
    expect(protobuf.body.subarray(0, 7).toString('latin1')).toBe('\n\x053.0.0');
    expect(protobuf.body.includes('listSchedulingV1PriorityClass')).toBe(true);
    expect(await get(place, { accept: 'text/html' })).toMatchObject({ status: 406, text: '' });
    expect(await get('/openapi/v3/apis/nope/v1')).toMatchObject({ status: 404, text: '' });
  });

  it('of version 2 go out compressed to whoever can read that', async () => {
    const plain = await raw('/openapi/v2');
    const packed = await raw('/openapi/v2', { 'accept-encoding': 'br, gzip' });
    expect(packed.headers?.['Content-Encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    expect(plain.headers?.['Content-Encoding']).toBeUndefined();
    const swagger = JSON.parse(plain.body.toString()) as { paths: Record<string, unknown> };
    expect(Object.keys(swagger.paths)).toEqual(expect.arrayContaining(['/api/', '/apis/apps/', '/apis/apps/v1/', '/version/']));
  });
});

describe('what the server tells of itself', () => {
  it('says where the keys of its tokens are', async () => {
    const { json } = await get('/.well-known/openid-configuration', { host: 'localhost:6443' });
    expect(json).toMatchObject({ jwks_uri: 'https://localhost:6443/openid/v1/jwks', id_token_signing_alg_values_supported: ['RS256'] });
  });

  it('lists its checks as metrics', async () => {
    const { text, contentType } = await get('/metrics/slis');
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('kubernetes_healthcheck{name="etcd",type="readyz"} 1\n');
    const { json } = await get('/');
    expect(json.paths).toEqual(expect.arrayContaining(['/metrics/slis', '/openid/v1/jwks', '/.well-known/openid-configuration']));
  });
});

describe('CBOR, which the recorded release has switched off', () => {
  const cbor = 'application/cbor';
  const configMaps = '/api/v1/namespaces/default/configmaps';

  it('is not written: 406, unless something else is accepted too', async () => {
    for (const path of [configMaps, `${configMaps}?watch=1`, '/apis', '/api/v1'])
      expect(await get(path, { accept: cbor }), path).toMatchObject({ status: 406, json: { reason: 'NotAcceptable' } });
    expect((await get(`${configMaps}?watch=1`, { accept: 'application/cbor-seq' })).status).toBe(406);
    expect(await get(configMaps, { accept: `${cbor}, application/json` })).toMatchObject({ status: 200, contentType: 'application/json' });
  });

  it('is not read: 415', async () => {
    const body = Buffer.from([0xd9, 0xd9, 0xf7, 0xa0]);
    const known = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    expect(await api.request('POST', configMaps, body, { 'content-type': cbor })).toMatchObject({
      status: 415,
      json: {
        reason: 'UnsupportedMediaType',
        message: `the body of the request was in an unknown format - accepted media types include: ${known}`,
      },
    });
    const patched = `${configMaps}/kube-root-ca.crt`;
    for (const type of [cbor, 'application/apply-patch+cbor'])
      expect(await api.request('PATCH', patched, body, { 'content-type': type }), type).toMatchObject({
        status: 415,
        json: { reason: 'UnsupportedMediaType' },
      });
  });
});
