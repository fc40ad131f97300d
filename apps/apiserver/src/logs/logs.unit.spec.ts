import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isStream, type StreamSink } from '../http/answer';
import { ApiFixture } from '../testing/api-fixture.fixture';

let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start();
  await api.request('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
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
