import 'reflect-metadata';
import { connect, type ClientHttp2Session } from 'node:http2';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerAddress, startProcess, type ControlPlaneProcess } from '#libs/app-shell';
import { LiveClock } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { ApiserverModule } from '../apiserver.module';
import { createCertificates, type Certificates } from '#libs/app-shell/certificates';

const token = 'secret';
const configMaps = '/api/v1/namespaces/default/configmaps';
let control: ControlPlaneProcess;
let certificates: Certificates;
let port = 0;
let agent: Agent;

function start(more: object = {}): Promise<ControlPlaneProcess> {
  const apiserver = { host: '127.0.0.1', port: 0, token, ...certificates, ...more };
  return startProcess({
    log: createMemoryLog(),
    clock: new LiveClock(),
    options: { cluster: 'local', seed: 'seed', apiserver },
    modules: [ApiserverModule],
    name: 'test',
  });
}

const portOf = ({ app }: ControlPlaneProcess): number => app.get(ServerAddress, { strict: false }).port as number;

function open(options: RequestOptions, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...options.headers };
    const request = httpsRequest({ host: '127.0.0.1', port, agent, ...options, headers }, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

beforeAll(async () => {
  certificates = await createCertificates({ hosts: ['localhost', '127.0.0.1'], now: Date.now() });
  control = await start();
  port = portOf(control);
  // Nobody is trusted but the cluster's own CA.
  agent = new Agent({ ca: certificates.ca });
});
afterAll(async () => {
  agent.destroy();
  await control.close();
});

describe('the server', () => {
  it('speaks HTTP/1.1 to those who do, with its own certificate', async () => {
    const answer = await open({ path: '/api/v1/namespaces/default' });
    expect(answer.httpVersion).toBe('1.1');
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache, private', 'content-type': 'application/json' });
    expect(answer.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse((await bytesOf(answer)).toString())).toMatchObject({ kind: 'Namespace' });
  });

  it('names the flow schema and the priority level of each request by their uids', async () => {
    const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
    const uidOf = async (path: string): Promise<string> => {
      const body = JSON.parse((await bytesOf(await open({ path: `${flowControl}/${path}` }))).toString()) as { metadata: { uid: string } };
      return body.metadata.uid;
    };
    const exempt = await uidOf('prioritylevelconfigurations/exempt');
    const probe = await open({ path: '/readyz', headers: { authorization: '' } });
    for (const [answer, schema] of [
      [await open({ path: '/version' }), 'exempt'],
      [probe, 'probes'],
    ] as const)
      expect(answer.headers).toMatchObject({
        'x-kubernetes-pf-flowschema-uid': await uidOf(`flowschemas/${schema}`),
        'x-kubernetes-pf-prioritylevel-uid': exempt,
      });
  });

  it('speaks HTTP/2 on the same port', async () => {
    const session: ClientHttp2Session = connect(`https://127.0.0.1:${port}`, { ca: certificates.ca });
    const status = await new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/readyz' });
      stream.on('response', (headers) => resolve(headers[':status']));
      stream.on('error', reject);
      stream.resume();
    });
    expect(status).toBe(200);
    session.close();
  });

  it('echoes the audit id of a client, if it is one', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    expect((await open({ path: '/version', headers: { 'audit-id': id } })).headers['audit-id']).toBe(id);
    expect((await open({ path: '/version', headers: { 'audit-id': 'x' } })).headers['audit-id']).not.toBe('x');
  });

  it('compresses long answers when asked, short ones never', async () => {
    const big = { metadata: { name: 'big' }, data: { a: 'x'.repeat(200_000) } };
    await bytesOf(await open({ method: 'POST', path: configMaps }, JSON.stringify(big)));
    const headers = { 'accept-encoding': 'gzip' };
    const long = await open({ path: configMaps, headers });
    expect(long.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(await bytesOf(long)).toString()).items[0].data).toEqual(big.data);
    expect((await open({ path: '/api/v1/namespaces', headers })).headers['content-encoding']).toBeUndefined();
  });

  it('sends the headers of a watch before there is anything to tell', async () => {
    const path = `${configMaps}?watch=1&resourceVersion=${control.runtime.state.position}`;
    const watch = await open({ path });
    expect(watch.headers['transfer-encoding']).toBe('chunked');
    const line = new Promise<string>((resolve) => watch.once('data', (chunk: Buffer) => resolve(chunk.toString())));
    await bytesOf(await open({ method: 'POST', path: configMaps }, '{"metadata":{"name":"seen"}}'));
    expect(JSON.parse(await line)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'seen' } } });
    watch.destroy();
  });

  it.each(['HTTP/1.1', 'HTTP/2'])('sends a state over %s that is longer than what a connection takes at once, whole', async (version) => {
    const names = ['long-a', 'long-b', 'long-c', 'long-d', 'long-e'];
    const data = { x: 'ü'.repeat(400_000) };
    for (const name of names) {
      const created = await open(
        { path: configMaps, method: 'POST', headers: { 'content-type': 'application/json' } },
        JSON.stringify({ metadata: { name }, data }),
      );
      expect(created.statusCode).toBe(201);
      created.resume();
    }
    const path = `${configMaps}?watch=1&timeoutSeconds=1`;
    const session = connect(`https://127.0.0.1:${port}`, { ca: certificates.ca });
    const watch = version === 'HTTP/2' ? session.request({ ':path': path, authorization: `Bearer ${token}` }) : await open({ path });
    const chunks: Buffer[] = [];
    for await (const chunk of watch) chunks.push(chunk as Buffer);
    session.close();
    const frames = Buffer.concat(chunks)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { object: { metadata: { name: string }; data: object } });
    expect(
      frames
        .map(({ object }) => object)
        .filter(({ metadata }) => names.includes(metadata.name))
        .map((object) => [object.metadata.name, object.data]),
    ).toEqual(names.map((name) => [name, data]));
    for (const name of names) (await open({ path: `${configMaps}/${name}`, method: 'DELETE' })).resume();
  });

  it('ends a watch cleanly at its time-out', async () => {
    const watch = await open({ path: `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=${control.runtime.state.position}` });
    expect(await bytesOf(watch)).toHaveLength(0);
    expect(watch.complete).toBe(true);
  });

  it('stops while watches are open, and ends them cleanly', async () => {
    const other = await start();
    const watch = await open({ port: portOf(other), path: '/api/v1/pods?watch=1' });
    const session = connect(`https://127.0.0.1:${portOf(other)}`, { ca: certificates.ca });
    const stream = session.request({ ':path': '/api/v1/pods?watch=1', authorization: `Bearer ${token}` });
    await new Promise((resolve) => stream.once('response', resolve));
    const ended = Promise.all([bytesOf(watch), new Promise((resolve) => stream.resume().once('end', resolve))]);
    await other.close();
    await ended;
    expect(watch.complete).toBe(true);
    session.destroy();
  });

  it('tells those who come while too many are answered to come back, but not an administrator', async () => {
    const other = await start({ mutatingRequestsInFlightMax: 1 });
    const target = { port: portOf(other), path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', method: 'POST' };
    const made = async (kind: string, fields: object): Promise<void> => {
      const path = `/apis/rbac.authorization.k8s.io/v1/${kind}`;
      const headers = { 'content-type': 'application/json' };
      const answer = await open({ ...target, path, headers }, JSON.stringify({ metadata: { name: 'reviewing' }, ...fields }));
      expect(answer.resume().statusCode).toBe(201);
    };
    const apiGroup = 'rbac.authorization.k8s.io';
    await made('clusterroles', { rules: [{ apiGroups: ['*'], resources: ['selfsubjectaccessreviews'], verbs: ['create'] }] });
    await made('clusterrolebindings', {
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'reviewing' },
      subjects: [{ apiGroup, kind: 'User', name: 'bob' }],
    });
    const review = JSON.stringify({ spec: { nonResourceAttributes: { path: '/', verb: 'get' } } });
    const asBob = { 'impersonate-user': 'bob', 'content-type': 'application/json' };
    const post = async (headers: Record<string, string>): Promise<IncomingMessage> => {
      const answer = await open({ ...target, headers }, review);
      answer.resume();
      return answer;
    };
    const headers = { ...asBob, authorization: `Bearer ${token}`, 'content-length': review.length };
    const slow = httpsRequest({ host: '127.0.0.1', agent, ...target, headers });
    const first = new Promise<IncomingMessage>((resolve) => slow.once('response', resolve));
    slow.flushHeaders();
    let second = await post(asBob);
    while (second.statusCode !== 429) second = await post(asBob);
    expect(second.headers['retry-after']).toBe('1');
    expect((await post({ 'content-type': 'application/json' })).statusCode).toBe(201);
    slow.end(review);
    expect((await first).resume().statusCode).toBe(201);
    expect((await post(asBob)).statusCode).toBe(201);
    await other.close();
  });

  it('tells in /metrics what it has answered, and what is open, to those who may know', async () => {
    const watch = await open({ path: `${configMaps}?watch=1&resourceVersion=${control.runtime.state.position}` });
    await bytesOf(await open({ path: `${configMaps}/none` }));
    await bytesOf(await open({ path: '/api/v1/namespaces/default/made-up' }));
    const answer = await open({ path: '/metrics' });
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8/);
    const text = (await bytesOf(answer)).toString();
    const of = (verb: string, scope: string): string =>
      `component="apiserver",dry_run="",group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"`;
    expect(text).toContain(`apiserver_request_total{code="404",${of('GET', 'resource')}} 1\n`);
    expect(text).toMatch(new RegExp(`apiserver_longrunning_requests{${of('WATCH', 'namespace').replace('dry_run="",', '')}} [1-9]`));
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1\n');
    expect(text).toMatch(/\nprocess_cpu_seconds_total \d/);
    expect(text).not.toContain('made-up');
    // Every line is a comment or a sample.
    for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)*\})? [\d.e+]+)$/);
    watch.destroy();
    expect((await open({ path: '/metrics', headers: { authorization: '' } })).statusCode).toBe(403);
  });

  it('says who is in the way of its port', async () => {
    const apiserver = { host: '127.0.0.1', port, token, ...certificates };
    const options = { cluster: 'local', seed: 'seed', apiserver };
    await expect(
      startProcess({ log: createMemoryLog(), clock: new LiveClock(), options, modules: [ApiserverModule], name: 'test' }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  });
});
