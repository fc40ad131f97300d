import 'reflect-metadata';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProcess, ServerAddress, type ControlPlaneProcess } from '#libs/app-shell';
import { LiveClock } from '#libs/control-loop';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { ApiserverModule } from '#apps/apiserver';
import { createCertificates } from '#libs/app-shell/certificates';
import { PriorityAdmissionModule } from '#apps/priority-admission';

/** A request that nobody means well with, and what the API has to say to it. */
interface Hostile {
  name: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  status: number;
  /** `reason` of the Status; `text`: the answer is plain text. Undefined: a Status without a reason. */
  reason: string | undefined;
}

interface Received {
  status: number;
  body: string;
}

const token = 'a-token-of-the-test';
const json = { 'content-type': 'application/json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const target = `${configMaps}/target`;

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

const pod = (spec: string): string => `{"metadata":{"name":"p"},"spec":${spec}}`;

const hostile: Hostile[] = [
  { name: 'a body that is no JSON', method: 'POST', path: configMaps, headers: json, body: 'not json', status: 400, reason: 'BadRequest' },
  { name: 'an empty body', method: 'POST', path: configMaps, headers: json, body: '', status: 400, reason: 'BadRequest' },
  {
    name: 'half a body',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: '{"metadata":{"name":"x"',
    status: 400,
    reason: 'BadRequest',
  },
  { name: 'an array for an object', method: 'POST', path: configMaps, headers: json, body: '[]', status: 400, reason: 'BadRequest' },
  { name: 'a number for an object', method: 'POST', path: configMaps, headers: json, body: '7', status: 400, reason: 'BadRequest' },
  {
    name: 'metadata that is a list',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: '{"metadata":[]}',
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a name that is a number',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: '{"metadata":{"name":7}}',
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'data that is a text',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: '{"metadata":{"name":"x"},"data":"text"}',
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'data whose value is an object',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: '{"metadata":{"name":"x"},"data":{"a":{}}}',
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'containers that are an object',
    method: 'POST',
    path: pods,
    headers: json,
    body: pod('{"containers":{}}'),
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a port beyond int32',
    method: 'POST',
    path: pods,
    headers: json,
    body: pod('{"containers":[{"name":"c","image":"i","ports":[{"containerPort":99999999999}]}]}'),
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a quantity that is none',
    method: 'POST',
    path: pods,
    headers: json,
    body: pod('{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1e999999999x"}}}]}'),
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'objects nested deeper than any parser likes',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: nested(200_000),
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'lists nested as deep',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: '['.repeat(500_000),
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'YAML that multiplies itself',
    method: 'POST',
    path: configMaps,
    headers: { 'content-type': 'application/yaml' },
    body: bomb(),
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a body over the limit',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: Buffer.alloc(3 * 1024 * 1024 + 1, 0x20),
    status: 413,
    reason: 'RequestEntityTooLarge',
  },
  {
    name: 'an object over the limit of the store',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: `{"metadata":{"name":"big"},"binaryData":{"a":"${'A'.repeat(2_800_000)}"}}`,
    status: 422,
    reason: 'Invalid',
  },
  {
    name: 'a __proto__ key at the top',
    method: 'POST',
    path: `${configMaps}?fieldValidation=Strict`,
    headers: json,
    body: '{"__proto__":{"polluted":true},"metadata":{"name":"x"}}',
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a __proto__ key in metadata',
    method: 'POST',
    path: `${configMaps}?fieldValidation=Strict`,
    headers: json,
    body: '{"metadata":{"name":"x","__proto__":{"polluted":true}}}',
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a merge patch of __proto__',
    method: 'PATCH',
    path: `${target}?fieldValidation=Strict`,
    headers: merge,
    body: '{"__proto__":{"polluted":true}}',
    status: 422,
    reason: 'Invalid',
  },
  {
    name: 'a JSON patch into __proto__',
    method: 'PATCH',
    path: target,
    headers: jsonPatch,
    body: '[{"op":"add","path":"/__proto__/polluted","value":true}]',
    status: 422,
    reason: 'Invalid',
  },
  {
    name: 'a JSON patch into constructor.prototype',
    method: 'PATCH',
    path: target,
    headers: jsonPatch,
    body: '[{"op":"add","path":"/constructor/prototype/polluted","value":true}]',
    status: 422,
    reason: 'Invalid',
  },
  {
    name: 'a strategic merge of __proto__',
    method: 'PATCH',
    path: `${target}?fieldValidation=Strict`,
    headers: strategic,
    body: '{"__proto__":{"polluted":true}}',
    status: 422,
    reason: 'Invalid',
  },
  { name: 'a patch that is no JSON', method: 'PATCH', path: target, headers: merge, body: 'nope', status: 400, reason: 'BadRequest' },
  {
    name: 'a JSON patch that is an object',
    method: 'PATCH',
    path: target,
    headers: jsonPatch,
    body: '{}',
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a JSON patch without a path',
    method: 'PATCH',
    path: target,
    headers: jsonPatch,
    body: '[{"op":"add"}]',
    status: 422,
    reason: 'Invalid',
  },
  {
    name: 'more operations than a patch may have',
    method: 'PATCH',
    path: target,
    headers: jsonPatch,
    body: JSON.stringify(Array(10_001).fill({ op: 'test', path: '/kind', value: 'ConfigMap' })),
    status: 413,
    reason: 'RequestEntityTooLarge',
  },
  {
    name: 'a patch that doubles itself',
    method: 'PATCH',
    path: target,
    headers: jsonPatch,
    body: doubling(),
    status: 422,
    reason: 'Invalid',
  },
  {
    name: 'an unknown directive',
    method: 'PATCH',
    path: target,
    headers: strategic,
    body: '{"$patch":"explode"}',
    status: 500,
    reason: undefined,
  },
  {
    name: 'a patch of the name',
    method: 'PATCH',
    path: target,
    headers: merge,
    body: '{"metadata":{"name":"other"}}',
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a content type that is none',
    method: 'POST',
    path: configMaps,
    headers: { 'content-type': 'text/html' },
    body: '{}',
    status: 415,
    reason: 'UnsupportedMediaType',
  },
  {
    name: 'protobuf that is none',
    method: 'POST',
    path: configMaps,
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    body: Buffer.from('6b387300ffffffffffffff', 'hex'),
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'an Accept that nothing meets',
    method: 'GET',
    path: target,
    headers: { accept: 'application/xml' },
    status: 406,
    reason: 'NotAcceptable',
  },
  { name: 'a wrong token', method: 'GET', path: target, headers: { authorization: 'Bearer wrong' }, status: 401, reason: 'Unauthorized' },
  {
    name: 'a token of a megabyte, nearly',
    method: 'GET',
    path: target,
    headers: { authorization: `Bearer ${'a'.repeat(8_000)}` },
    status: 401,
    reason: 'Unauthorized',
  },
  { name: 'no token', method: 'DELETE', path: target, headers: { authorization: '' }, status: 403, reason: 'Forbidden' },
  {
    name: 'somebody else',
    method: 'DELETE',
    path: target,
    headers: { 'impersonate-user': 'system:admin' },
    status: 403,
    reason: 'Forbidden',
  },
  { name: 'dots that climb', method: 'GET', path: '/api/v1/namespaces/default/../../../../etc/passwd', status: 404, reason: 'NotFound' },
  { name: 'dots that climb, encoded', method: 'DELETE', path: `${configMaps}/..%2f..%2fpods%2fx`, status: 404, reason: 'NotFound' },
  { name: 'doubled slashes', method: 'GET', path: '//api//v1//namespaces', status: 404, reason: 'text' },
  { name: 'a name with a NUL', method: 'GET', path: `${configMaps}/a%00b`, status: 404, reason: 'NotFound' },
  { name: 'a path that is no UTF-8', method: 'GET', path: `${configMaps}/%ff%fe`, status: 400, reason: 'BadRequest' },
  { name: 'a name of a prototype', method: 'GET', path: '/apis/__proto__/constructor/toString', status: 404, reason: 'text' },
  { name: 'a limit that is no number', method: 'GET', path: `${configMaps}?limit=1e9`, status: 400, reason: 'BadRequest' },
  { name: 'a version that is no number', method: 'GET', path: `${configMaps}?resourceVersion=-1`, status: 400, reason: 'BadRequest' },
  {
    name: 'a continue token made up',
    method: 'GET',
    path: `${configMaps}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../../x"}').toString('base64url')}`,
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a selector that is none',
    method: 'GET',
    path: `${configMaps}?labelSelector=${'('.repeat(2000)}`,
    status: 400,
    reason: 'BadRequest',
  },
  { name: 'a moment that is none', method: 'GET', path: `/at/${'9'.repeat(400)}/api/v1/pods`, status: 400, reason: 'BadRequest' },
  { name: 'a write in the past', method: 'DELETE', path: `/at/1${target}`, status: 405, reason: 'MethodNotAllowed' },
  {
    name: 'a dry run that is none',
    method: 'POST',
    path: `${configMaps}?dryRun=__proto__`,
    headers: json,
    body: '{"metadata":{"name":"x"}}',
    status: 422,
    reason: 'Invalid',
  },
  {
    name: 'a name that would leave its stream',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: '{"metadata":{"name":"../kube-system/x"}}',
    status: 422,
    reason: 'Invalid',
  },
  {
    name: 'a namespace other than that of the path',
    method: 'POST',
    path: configMaps,
    headers: json,
    body: '{"metadata":{"name":"x","namespace":"kube-system"}}',
    status: 400,
    reason: 'BadRequest',
  },
];

/** Nine levels, each nine times the last: 387 million items. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level++)
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  return lines.join('\n');
}

/** Copies a growing part of the object into itself, again and again. */
function doubling(): string {
  const operations = [
    { op: 'add', path: '/data', value: { a: 'x'.repeat(1000) } },
    ...Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '/data', path: `/data/a${index}` })),
  ];
  return JSON.stringify(operations);
}

let control: ControlPlaneProcess;
let log: EventLog;
let port = 0;
const agent = new Agent({ rejectUnauthorized: false, keepAlive: true });

function send({ method, path, headers = {}, body }: Pick<Hostile, 'method' | 'path' | 'headers' | 'body'>): Promise<Received> {
  return new Promise((resolve, reject) => {
    const all: Record<string, string | number> = { authorization: `Bearer ${token}`, ...headers };
    if (all.authorization === '') delete all.authorization;
    if (body !== undefined) all['content-length'] = Buffer.byteLength(body);
    const request = httpsRequest({ host: '127.0.0.1', port, method, path, headers: all, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function objectEvents(): Promise<string[]> {
  const found: string[] = [];
  for await (const page of log.readAll({ from: 'start' })) {
    for (const { stream, type } of page) if (stream.includes('-')) found.push(`${type} on ${stream}`);
  }
  return found.filter((line) => !/ on local\.[a-z-]+$/.test(line));
}

beforeAll(async () => {
  const certificates = await createCertificates({ hosts: ['127.0.0.1'], now: Date.now() });
  log = createMemoryLog();
  const apiserver = { host: '127.0.0.1', port: 0, token, ...certificates };
  control = await startProcess({
    log,
    clock: new LiveClock(),
    options: { cluster: 'local', seed: 'seed', apiserver },
    modules: [ApiserverModule, PriorityAdmissionModule],
    name: 'test',
  });
  port = control.app.get(ServerAddress, { strict: false }).port as number;
  const answer = await send({ method: 'POST', path: configMaps, headers: json, body: '{"metadata":{"name":"target"},"data":{"a":"1"}}' });
  expect(answer.status).toBe(201);
  expect(await objectEvents()).toContain('Created on local.configmaps-default/target');
});
afterAll(async () => {
  agent.destroy();
  await control.close();
});

describe('hostile requests', () => {
  it.each(hostile)('$name: $status $reason, and nothing happens', async (request) => {
    const before = await objectEvents();
    const { status, body } = await send(request);
    expect({ status, body: body.slice(0, 300) }).toMatchObject({ status: request.status });
    if (request.reason === 'text') expect(body).toBe('404 page not found\n');
    else
      expect(JSON.parse(body)).toMatchObject({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        code: request.status,
        ...(request.reason ? { reason: request.reason } : {}),
      });
    expect(await objectEvents()).toEqual(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('leave the server as it was', async () => {
    const answer = await send({ method: 'GET', path: target });
    expect(JSON.parse(answer.body)).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
  });
});

describe('connections that mean no good', () => {
  it('get an answer, or none, and harm nobody', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () =>
        socket.write('GET /\0 NONSENSE\r\n\r\n'),
      );
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await send({ method: 'GET', path: '/readyz' })).body).toBe('ok');
  });

  it('may give up in the middle of a body, over either version of HTTP', async () => {
    const session: ClientHttp2Session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const before = await objectEvents();
    await new Promise<void>((resolve) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': configMaps,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': '1000',
      });
      stream.on('error', () => undefined);
      stream.on('close', resolve);
      stream.write('{"metadata":', () => stream.close(8));
    });
    session.destroy();
    await new Promise<void>((resolve) => {
      const request = httpsRequest({
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: configMaps,
        agent: new Agent({ rejectUnauthorized: false }),
        headers: { authorization: `Bearer ${token}`, 'content-length': 1000 },
      });
      request.on('error', () => resolve());
      request.write('{"metadata":', () => request.destroy());
      request.on('close', resolve);
    });
    expect((await send({ method: 'GET', path: '/readyz' })).body).toBe('ok');
    expect(await objectEvents()).toEqual(before);
  });
});
