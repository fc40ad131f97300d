import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isStream, type StreamSink } from '../http/answer';
import { ApiFixture } from '../testing/api-fixture.fixture';

let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start();
  await api.request('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
  // By its Lease it is known that a kubelet runs there.
  await api.request('POST', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', {
    metadata: { name: 'n1' },
    spec: { holderIdentity: 'n1' },
  });
});
afterEach(() => api.close());

const running = { state: { running: { startedAt: '2026-01-01T11:00:00Z' } } };

async function pod(name: string, spec: object, status: object = {}, annotations: Record<string, string> = {}): Promise<void> {
  const object = {
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: '2026-01-01T00:00:00Z', annotations },
    spec,
    status,
  } as KubeObject;
  await api.runtime.append(`local.pods-default/${name}`, [[fact('Created', { object })]], 'no_stream', {
    origin: { actor: 'test', operation: name, correlationId: 'c' },
    label: '0',
    follows: undefined,
  });
}

const log = (target: string): ReturnType<ApiFixture['request']> => api.request('GET', `/api/v1/namespaces/default/pods/${target}`);
const one = { nodeName: 'n1', containers: [{ name: 'c' }] };

describe('pods/log', () => {
  it('gives the lines that annotations say, or one that says what the container is', async () => {
    const status = { containerStatuses: [{ name: 'c', ...running }] };
    await pod('p', one, status, { 'kubereel.dev/c.log': 'first\nsecond\nthird\n' });
    await pod('q', one, status);
    expect(await log('p/log')).toMatchObject({ status: 200, contentType: 'text/plain', text: 'first\nsecond\nthird\n' });
    expect((await log('p/log?tailLines=1&timestamps=true')).text).toBe('2026-01-01T11:00:00.000000000Z third\n');
    expect((await log('p/log?limitBytes=3')).text).toBe('fir');
    expect((await log('p/log?sinceSeconds=60')).text).toBe('');
    expect((await log('q/log')).text).toMatch(/^container c of pod default\/q is simulated/);
  });

  it('says what is wrong in the words of the API', async () => {
    await pod('two', { nodeName: 'n1', containers: [{ name: 'c' }, { name: 'd' }] });
    await pod('unbound', { containers: [{ name: 'c' }] });
    await pod('lost', { nodeName: 'gone', containers: [{ name: 'c' }] });
    await pod('waiting', one);
    expect(await log('none/log')).toMatchObject({ status: 404 });
    expect((await log('two/log')).json.message).toBe('a container name must be specified for pod two, choose one of: [c d]');
    expect((await log('two/log?container=x')).json.message).toBe('container x is not valid for pod two');
    expect(await log('unbound/log')).toMatchObject({ status: 204, text: '' });
    expect((await log('lost/log')).json.message).toBe('pods "gone" not found');
    expect((await log('waiting/log')).json.message).toBe('container "c" in pod "waiting" is waiting to start: ContainerCreating');
    expect((await log('waiting/log?previous=1')).json.message).toBe('previous terminated container "c" in pod "waiting" not found');
    expect(await log('waiting/log?tailLines=-1')).toMatchObject({ status: 422 });
  });

  it('says that nothing answers where no kubelet of ours runs', async () => {
    const status = { containerStatuses: [{ name: 'c', ...running }] };
    const node = (name: string, addresses: object[]) => api.request('POST', '/api/v1/nodes', { metadata: { name }, status: { addresses } });
    await node('named', [
      { type: 'InternalIP', address: '10.9.0.1' },
      { type: 'Hostname', address: 'named.example' },
    ]);
    await node('numbered', [{ type: 'InternalIP', address: '10.9.0.1' }]);
    await node('nowhere', []);
    for (const nodeName of ['named', 'numbered', 'nowhere']) await pod(nodeName, { ...one, nodeName }, status);
    const answer = await log('named/log?tailLines=5&follow=true&sinceTime=2026-01-01T11:00:00Z');
    expect(answer.status).toBe(500);
    expect(answer.json.reason).toBeUndefined();
    expect(answer.json.message).toBe(
      'Get "https://named.example:10250/containerLogs/default/named/c?follow=true&sinceTime=2026-01-01T11%3A00%3A00Z&tailLines=5": dial tcp: lookup named.example: no such host',
    );
    expect((await log('numbered/log')).json.message).toBe(
      'Get "https://10.9.0.1:10250/containerLogs/default/numbered/c": dial tcp 10.9.0.1:10250: i/o timeout',
    );
    expect((await log('nowhere/log')).json.message).toBe('no preferred addresses found; known addresses: []');
  });

  it('follows a container for as long as it runs', async () => {
    await pod('p', one, { containerStatuses: [{ name: 'c', ...running }] });
    const client = { text: '', ended: false };
    const sink: StreamSink = {
      waitingBytes: 0,
      write: (bytes) => void (client.text += bytes.toString()),
      writeFrames: () => undefined,
      end: () => void (client.ended = true),
      abort: () => undefined,
      onClosed: () => undefined,
      onDrained: () => undefined,
    };
    const handled = await api.handle('GET', '/api/v1/namespaces/default/pods/p/log?follow=1', undefined, {});
    if (isStream(handled)) handled.open(sink);
    expect(client.text).toContain('simulated');
    expect(client.ended).toBe(false);
    await api.runtime.append('local.pods-default/p', [[fact('Deleted', {})]], 0, {
      origin: { actor: 'test', operation: 'gone', correlationId: 'c' },
      label: '0',
      follows: undefined,
    });
    expect(client.ended).toBe(true);
  });
});

describe('streams that nothing is behind', () => {
  it('are refused, never left hanging', async () => {
    await pod('p', one);
    expect(await log('p/proxy/a/b')).toMatchObject({ status: 400 });
    expect(await log('none/exec')).toMatchObject({ status: 404 });
  });
});
