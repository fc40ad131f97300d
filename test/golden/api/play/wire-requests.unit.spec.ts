import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Bindings } from '../compare/bindings';
import type { CompareContext } from '../compare/context';
import type { RequestsStep, WireRequest } from '../recording';
import { WireProxy } from './wire-proxy';
import { compareWire, filesOf } from './wire-requests';

const header = { session: 's', title: '', area: 'kubectl', server: 'v1.34.4', runs: 'apiserver' };
const differencesOf = (recorded: readonly WireRequest[], sent: readonly WireRequest[]): string[] => {
  const context: CompareContext = { bindings: new Bindings(), startedAt: 0, now: () => 0, header, differences: [] };
  compareWire(context, recorded, sent);
  return context.differences.map(({ path }) => path);
};
const wire = (url: string, more: Partial<WireRequest> = {}): WireRequest => ({ method: 'GET', url, status: 200, ...more });

describe('requests of a command', () => {
  it('agree up to versions, uids and the order of what comes from a map', () => {
    const uid = '6e29aaf0-84bc-4769-9516-20c4faa9fd64';
    expect(
      differencesOf(
        [wire('/a?fieldSelector=b%3D1%2Ca%3D2&resourceVersion="<rv>"&timeoutSeconds=<n>'), wire(`/e?uid=${uid}`)],
        [wire('/a?fieldSelector=a%3D2%2Cb%3D1&resourceVersion=17&timeoutSeconds=402'), wire(`/e?uid=${uid.replaceAll('6', '7')}`)],
      ),
    ).toEqual([]);
  });

  it('differ in number, method, address, headers, body, status and type of the answer', () => {
    expect(differencesOf([wire('/a'), wire('/b')], [wire('/a')])).toEqual(['requests']);
    const sent = wire('/b', { method: 'PUT', headers: { Accept: 'x' }, body: '{"a":2}', status: 200, responseType: 'text/plain' });
    const recorded = wire('/a', { headers: { Accept: 'y' }, body: '{"a":1}', status: 200, responseType: 'application/json' });
    expect(differencesOf([recorded], [sent]).map((path) => path.split('.').at(-1))).toEqual([
      'method',
      'url',
      'Accept',
      'body',
      'responseType',
    ]);
    expect(differencesOf([wire('/a', { status: 404 })], [wire('/a')])).toEqual(['requests[0: GET /a].status']);
  });

  it('agree in the part of a long body that was kept', () => {
    const body = '{"time":"<time>","rest":[1,2... [truncated 9 chars]';
    const told = (text: string): string[] => differencesOf([wire('/a', { body })], [wire('/a', { body: text })]);
    expect(told('{"time":"2026-01-01T00:00:00Z","rest":[1,2,3,4,5]}')).toEqual([]);
    expect(told('{"time":"2026-01-01T00:00:00Z","rest":[2,2,3,4,5]}')).toHaveLength(1);
  });

  it('tell what stood in the files of the commands', () => {
    const applied = JSON.stringify({ kind: 'Deployment', metadata: { annotations: {}, name: 'app' } });
    const metadata = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } };
    const steps: RequestsStep[] = [
      { step: 1, command: 'kubectl apply -f dep.yaml', requests: [wire('/d', { method: 'POST', body: JSON.stringify({ metadata }) })] },
      { step: 2, command: 'kubectl create -f pod.yaml', requests: [wire('/p', { method: 'POST', body: '{"kind":"Pod"}' })] },
    ];
    expect(filesOf(steps)).toMatchObject({ 'dep.yaml': '{"kind":"Deployment","metadata":{"name":"app"}}', 'pod.yaml': '{"kind":"Pod"}' });
  });
});

describe('the proxy', () => {
  const closers: (() => void)[] = [];
  afterEach(() => closers.splice(0).forEach((close) => close()));

  it('passes requests on as the administrator, keeps them, and lets nothing be cached', async () => {
    const behind = createServer((incoming, response) => {
      response.writeHead(201, { 'Content-Type': 'application/json', ETag: '"1"', 'X-User': incoming.headers.authorization });
      incoming.pipe(response);
    });
    await new Promise<void>((done) => behind.listen(0, '127.0.0.1', done));
    const proxy = await WireProxy.before({ url: `http://127.0.0.1:${(behind.address() as AddressInfo).port}`, token: 'T' });
    closers.push(
      () => behind.close(),
      () => proxy.close(),
    );
    const answer = await new Promise<{ headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      const headers = { Accept: 'a/b', 'Content-Type': 'application/json' };
      const outgoing = request(`${proxy.target.url}/x?y=1`, { method: 'POST', headers }, (message) => {
        let text = '';
        message.on('data', (chunk: Buffer) => (text += chunk.toString()));
        message.on('end', () => resolve({ headers: message.headers, text }));
      });
      outgoing.on('error', reject);
      outgoing.end('{}');
    });
    expect(answer.text).toBe('{}');
    expect(answer.headers).toMatchObject({ 'x-user': 'Bearer T' });
    expect(answer.headers).not.toHaveProperty('etag');
    expect(proxy.take()).toEqual([
      {
        method: 'POST',
        url: '/x?y=1',
        status: 201,
        headers: { Accept: 'a/b', 'Content-Type': 'application/json' },
        body: '{}',
        responseType: 'application/json',
      },
    ]);
    expect(proxy.take()).toEqual([]);
  });
});
