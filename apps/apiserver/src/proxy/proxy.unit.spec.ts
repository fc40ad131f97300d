import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiFixture } from '../testing/api-fixture.fixture';

let api: ApiFixture;
beforeAll(async () => {
  api = await ApiFixture.start();
  const post = (path: string, body: object) => api.request('POST', path, body);
  await post('/api/v1/nodes', { metadata: { name: 'n' } });
  await api.request('PATCH', '/api/v1/nodes/n/status', { status: { addresses: [{ type: 'InternalIP', address: '10.2.0.1' }] } }, merge);
  await post('/api/v1/nodes', { metadata: { name: 'bare' } });
  await post('/api/v1/namespaces/default/services', { metadata: { name: 's' }, spec: { ports: [{ name: 'web', port: 80 }] } });
});
afterAll(() => api.close());

const merge = { 'content-type': 'application/merge-patch+json' };
const get = async (path: string) => {
  const { status, json } = await api.request('GET', `/api/v1/${path}`);
  return { status, reason: json?.reason as string, message: json?.message as string };
};

describe('a proxied request', () => {
  it('to a node ends at its kubelet, which listens nowhere', async () => {
    const message = 'error trying to reach service: dial tcp 10.2.0.1:10250: connect: connection refused';
    expect(await get('nodes/n/proxy/stats/summary')).toEqual({ status: 503, reason: 'ServiceUnavailable', message });
    expect((await get('nodes/https:n:9100/proxy/')).message).toContain('dial tcp 10.2.0.1:9100');
    expect(await get('nodes/bare/proxy/')).toMatchObject({ status: 500, message: 'no preferred addresses found; known addresses: []' });
    expect(await get('nodes/ftp:n:1/proxy/')).toMatchObject({ status: 400, message: 'invalid node request "ftp:n:1"' });
  });

  it('to a Service needs a port that it has and an endpoint behind it', async () => {
    expect((await get('namespaces/default/services/s:81/proxy/')).message).toBe('no service port 81 found for service "s"');
    expect(await get('namespaces/default/services/http:s:web/proxy/a')).toMatchObject({
      status: 503,
      message: 'no endpoints available for service "s"',
    });
  });
});

describe('component statuses', () => {
  it('tell of the apps that run beside the server, and are kept nowhere', async () => {
    const { json, headers } = await api.request('GET', '/api/v1/componentstatuses');
    expect(json).toMatchObject({ kind: 'ComponentStatusList', metadata: {} });
    expect(json.items).toContainEqual({
      metadata: { name: 'scheduler' },
      conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
    });
    expect(headers['Warning']).toEqual(['299 - "v1 ComponentStatus is deprecated in v1.19+"']);
    expect(await get('componentstatuses/none')).toMatchObject({ status: 404, message: 'componentstatus "none" not found' });
    const { json: one } = await api.request('GET', '/api/v1/componentstatuses/controller-manager');
    expect(one.conditions[0]).toMatchObject({ status: 'False', message: expect.stringContaining('connection refused') as string });
  });
});
