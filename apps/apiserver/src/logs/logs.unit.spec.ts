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

const origin = { actor: 'test', operation: 'settled', correlationId: 'c' };
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

  it('gives the lines of annotations when it is time for them', async () => {
    const told = { 'kubereel.dev/c.log': 'begun\n[50m] half an hour\n[every 25m] again\n[2h] not yet' };
    await pod('p', one, { containerStatuses: [{ name: 'c', ...running }] }, told);
    expect((await log('p/log?timestamps=true')).text.replaceAll('2026-01-01T', '').replaceAll(':00.000000000Z', '')).toBe(
      '11:00 begun\n11:25 again\n11:50 half an hour\n11:50 again\n',
    );
    const terminated = { startedAt: '2026-01-01T11:00:00Z', finishedAt: '2026-01-01T11:00:20Z', exitCode: 1 };
    const ended = { containerStatuses: [{ name: 'c', restartCount: 1, state: { terminated } }] };
    const annotations = {
      'kubereel.dev/c.runs': '5s; 20s exit 1',
      'kubereel.dev/c.log.2': 'second\n[end] panic',
      'kubereel.dev/c.log.1': 'first',
    };
    await pod('ended', one, ended, annotations);
    expect((await log('ended/log')).text).toBe('second\npanic\n');
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

describe('the log of a program', () => {
  const status = (more: object) => ({ containerStatuses: [{ name: 'c', restartCount: 0, ...more }] });
  const shell = (script: string) => ({ nodeName: 'n1', containers: [{ name: 'c', image: 'busybox', command: ['sh', '-c', script] }] });
  const terminated = (startedAt: string, finishedAt: string) => ({ terminated: { startedAt, finishedAt, exitCode: 0 } });

  it('has what was written up to now, each line with its time', async () => {
    await pod('p', shell('i=0; while true; do echo line $i; i=$((i+1)); sleep 600; done'), status(running));
    expect((await log('p/log')).text).toBe([0, 1, 2, 3, 4, 5, 6].map((i) => `line ${i}\n`).join(''));
    expect((await log('p/log?tailLines=2&timestamps=true')).text).toBe(
      '2026-01-01T11:50:00.000000000Z line 5\n2026-01-01T12:00:00.000000000Z line 6\n',
    );
    expect((await log('p/log?sinceSeconds=1200')).text).toBe('line 4\nline 5\nline 6\n');
    expect((await log('p/log?sinceTime=2026-01-01T11:45:00Z&tailLines=1&limitBytes=6')).text).toBe('line 6');
  });

  it('ends where the run ended, and has the run before on request', async () => {
    const state = terminated('2026-01-01T11:00:00Z', '2026-01-01T11:00:20Z');
    await pod('stopped', shell('while true; do date +%T; sleep 10; done'), status({ state }));
    expect((await log('stopped/log')).text).toBe('11:00:00\n11:00:10\n11:00:20\n');
    const again = { restartCount: 1, ...running, lastState: terminated('2026-01-01T10:59:00Z', '2026-01-01T10:59:10Z') };
    await pod('again', shell('date +%T; sleep 10; exit 1'), status(again));
    expect((await log('again/log?previous=true')).text).toBe('10:59:00\n');
    expect((await log('again/log')).text).toBe('11:00:00\n');
  });

  it('is what was recorded, where the program looked at the cluster', async () => {
    await pod('p', shell('wget -qO- web'), status({ state: terminated('2026-01-01T11:00:00Z', '2026-01-01T11:00:01Z') }));
    expect((await log('p/log')).text).toBe("wget: bad address 'web'\n");
    const settled = { namespace: 'default', pod: 'p', uid: 'p', container: 'c', restartCount: 0, afterMs: 50, exitCode: 0 };
    const output: [number, string][] = [[0, 'as it was then\n']];
    await api.runtime.appendDecision('kubelet-decisions', [fact('ProgramSettled', { ...settled, output })], origin, '0');
    expect((await log('p/log')).text).toBe('as it was then\n');
  });

  it('is bounded, whatever the program does', async () => {
    const longAgo = { state: { running: { startedAt: '2001-01-01T00:00:00Z' } } };
    await pod('yes', { nodeName: 'n1', containers: [{ name: 'c', args: ['yes'] }] }, status(longAgo));
    await pod('dates', shell('while true; do date; sleep 1; done'), status(longAgo));
    await pod('server', shell('echo begun; exec nginx'), status(longAgo));
    expect((await log('yes/log')).text.length).toBeLessThan(3_000_000);
    const dates = (await log('dates/log')).text.trimEnd().split('\n');
    expect(dates.length).toBeGreaterThan(1_000);
    expect(dates.at(-1)).toBe('Thu Jan  1 12:00:00 UTC 2026');
    expect((await log('server/log')).text).toMatch(/^begun\n\(kubereel: nginx is another program of the image: .*\)\n$/);
  });
});

describe('streams that nothing is behind', () => {
  it('are refused, never left hanging', async () => {
    await pod('p', one);
    expect(await log('p/proxy/a/b')).toMatchObject({ status: 400 });
    expect(await log('none/exec')).toMatchObject({ status: 404 });
  });
});
