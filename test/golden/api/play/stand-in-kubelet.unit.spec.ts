import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from './client';
import { standInBeside } from './stand-in-kubelet';

interface Sent {
  request: string;
  body: { status?: Record<string, unknown> };
}

const pod = (name: string, { job = false, ready = false, deleted = false, bound = true, phase = 'Pending' } = {}): object => ({
  metadata: {
    name,
    namespace: 'ns',
    ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    ...(job ? { ownerReferences: [{ kind: 'Job' }] } : {}),
  },
  spec: { containers: [{ name: 'c', image: 'i' }], ...(bound ? { nodeName: 'n' } : {}) },
  status: { phase, conditions: ready ? [{ type: 'Ready', status: 'True' }] : [] },
});

const everyPod = [
  pod('new'),
  pod('unbound', { bound: false }),
  pod('runs', { ready: true, phase: 'Running' }),
  pod('going', { ready: true, deleted: true }),
  pod('works', { ready: true, job: true }),
  pod('done', { job: true, phase: 'Succeeded' }),
];

let server: Server;
afterEach(() => server.close());

/** What the stand-in sends until it has had `count` requests beside its looks answered. */
async function deedsOf(runs: string, count: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  let enough: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (enough = resolve));
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.method !== 'GET')
        sent.push({ request: `${request.method} ${request.url}`, body: JSON.parse(text || '{}') as Sent['body'] });
      response.end(JSON.stringify({ items: everyPod }));
      if (sent.length >= count) enough();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' });
  const standIn = standInBeside(runs, client);
  await done;
  await standIn?.stop();
  client.close();
  return sent;
}

describe('a stand-in for kubelets', () => {
  it('makes bound pods ready and lets those go that are to be deleted', async () => {
    const [ready, gone] = await deedsOf('apiserver+stand-in kubelet', 2);
    expect(ready?.request).toBe('PATCH /api/v1/namespaces/ns/pods/new/status');
    expect(ready?.body.status).toMatchObject({ phase: 'Running', podIP: '10.1.0.5', hostIP: '10.9.0.1' });
    expect(gone?.request).toBe('DELETE /api/v1/namespaces/ns/pods/going?gracePeriodSeconds=0');
  });

  it('as kwok finishes the pods of Jobs too', async () => {
    const deeds = await deedsOf('apiserver+kwok', 3);
    expect(deeds[2]?.request).toBe('PATCH /api/v1/namespaces/ns/pods/works/status');
    expect(deeds[2]?.body.status).toMatchObject({ phase: 'Succeeded', containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] });
  });

  it('is not there where none was recorded', () => {
    server = createServer();
    expect(standInBeside('apiserver+scheduler', new Client({ url: 'http://127.0.0.1:1', token: '' }))).toBeUndefined();
  });
});
