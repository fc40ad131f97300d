import 'reflect-metadata';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ServerAddress, startProcess, type ControlPlaneProcess } from '#libs/app-shell';
import { createCertificates } from '#libs/app-shell/certificates';
import { LiveClock } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { ApiserverModule } from '../apiserver.module';

const token = 'the-secret-of-the-administrator';
const configMaps = '/api/v1/namespaces/default/configmaps';
const policy = {
  rules: [
    { level: 'None', nonResourceURLs: ['/healthz*'] },
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }], omitStages: ['RequestReceived'] },
    { level: 'Request', verbs: ['delete'] },
    { level: 'RequestResponse', verbs: ['update'], omitManagedFields: true },
    { level: 'RequestResponse' },
  ],
};
const folder = mkdtempSync(join(tmpdir(), 'audit-'));
const path = join(folder, 'audit.log');
let control: ControlPlaneProcess;
let agent: Agent;

interface Answer {
  status: number;
  id: string;
  text: string;
  body: { metadata: { uid: string; resourceVersion: string }; [key: string]: unknown };
}

function ask(
  method: string,
  target: string,
  body?: object | string,
  headers: Record<string, string | string[] | undefined> = {},
): Promise<Answer> {
  const { port } = control.app.get(ServerAddress, { strict: false });
  return new Promise((resolve, reject) => {
    const given = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'tester/1', ...headers };
    const all = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const request = httpsRequest({ host: '127.0.0.1', port: port as number, agent, method, path: target, headers: all }, (message) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const read = text.startsWith('{"kind') ? (JSON.parse(text) as Answer['body']) : ({} as Answer['body']);
        resolve({ status: message.statusCode as number, id: message.headers['audit-id'] as string, text, body: read });
      });
    });
    request.on('error', reject);
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    if (text !== undefined) request.setHeader('content-length', Buffer.byteLength(text));
    request.end(text);
  });
}

interface AuditEvent {
  stage: string;
  annotations?: Record<string, string>;
  [field: string]: unknown;
}

const logText = (): string => readFileSync(path, 'utf8');

function recordsOf({ id }: Answer): AuditEvent[] {
  const lines = logText().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as AuditEvent).filter(({ auditID }) => auditID === id);
}

/** The last record of a request: it is there before the answer is. */
function recordOf(answer: Answer): AuditEvent {
  return recordsOf(answer).at(-1) as AuditEvent;
}

const allowed = { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' };

beforeAll(async () => {
  const certificates = await createCertificates({ hosts: ['localhost', '127.0.0.1'], now: Date.now() });
  const audit = { policy, path, format: 'json', bytesMax: 100_000_000, backupsMax: 0, ageDaysMax: 0 };
  control = await startProcess({
    log: createMemoryLog(),
    clock: new LiveClock(),
    options: { cluster: 'local', seed: 'seed', apiserver: { host: '127.0.0.1', port: 0, token, audit, ...certificates } },
    modules: [ApiserverModule],
    name: 'test',
  });
  agent = new Agent({ ca: certificates.ca });
});
afterAll(async () => {
  agent.destroy();
  await control.close();
  rmSync(folder, { recursive: true });
});

describe('what is recorded of a request', () => {
  it('is who asked for what from where, and what came of it', async () => {
    const answer = await ask('POST', `${configMaps}?fieldManager=me`, { metadata: { name: 'one' }, data: { k: 'a <&> b' } });
    expect(answer.status).toBe(201);
    const [received, complete, ...others] = recordsOf(answer);
    expect(others).toEqual([]);
    const common = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      auditID: answer.id,
      requestURI: `${configMaps}?fieldManager=me`,
      verb: 'create',
      user: { username: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'tester/1',
    };
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string;
    expect(received).toEqual({
      ...common,
      stage: 'RequestReceived',
      objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
      requestReceivedTimestamp: time,
      stageTimestamp: received?.['requestReceivedTimestamp'],
    });
    expect(complete).toEqual({
      ...common,
      stage: 'ResponseComplete',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'one', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one' }, data: { k: 'a <&> b' } },
      responseObject: answer.body,
      requestReceivedTimestamp: received?.['requestReceivedTimestamp'],
      stageTimestamp: time,
      annotations: allowed,
    });
    // Go writes what HTML would take for its own as numbers.
    expect(logText().includes('a \\u003c\\u0026\\u003e b')).toBe(true);
  });

  it('has no body where the policy wants none, and that of the request alone where it wants that', async () => {
    const secret = await ask('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' }, stringData: { a: 'very-secret' } });
    expect(recordsOf(secret)).toEqual([expect.objectContaining({ level: 'Metadata', stage: 'ResponseComplete' })]);
    expect(recordOf(secret)).toMatchObject({ objectRef: { name: 's' }, responseStatus: { code: 201 } });
    expect(recordOf(secret)).not.toHaveProperty('requestObject');
    expect(recordOf(secret)).not.toHaveProperty('responseObject');
    const gone = await ask('DELETE', '/api/v1/namespaces/default/configmaps/none', { gracePeriodSeconds: 0 });
    expect(recordOf(gone)).toMatchObject({
      level: 'Request',
      requestObject: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', gracePeriodSeconds: 0 },
      responseStatus: {
        metadata: {},
        status: 'Failure',
        message: 'configmaps "none" not found',
        reason: 'NotFound',
        details: { name: 'none', kind: 'configmaps' },
        code: 404,
      },
    });
    expect(recordOf(gone)).not.toHaveProperty('responseObject');
  });

  it('is nothing where the policy says so', async () => {
    expect(recordsOf(await ask('GET', '/healthz'))).toEqual([]);
  });

  it('names the object that a body names, in the version that it has', async () => {
    const { body } = await ask('POST', configMaps, { metadata: { name: 'two' } });
    const { uid, resourceVersion } = body.metadata;
    const put = await ask('PUT', `${configMaps}/two`, { ...body, data: { a: 'b' } });
    expect(recordOf(put)).toMatchObject({ objectRef: { name: 'two', uid, resourceVersion } });
    const generated = await ask('POST', configMaps, { metadata: { generateName: 'gen-' } });
    expect(recordOf(generated)['objectRef']).toEqual({ resource: 'configmaps', namespace: 'default', apiVersion: 'v1' });
  });

  it('leaves out the owners of fields where they are not wanted', async () => {
    const { body } = await ask('POST', configMaps, { metadata: { name: 'owned' }, data: { a: 'b' } });
    expect(body.metadata).toHaveProperty('managedFields');
    const put = await ask('PUT', `${configMaps}/owned`, { ...body, data: { a: 'c' } });
    expect(put.body.metadata).toHaveProperty('managedFields');
    const { requestObject, responseObject } = recordOf(put) as unknown as Record<string, Answer['body']>;
    expect(requestObject?.metadata).toMatchObject({ name: 'owned' });
    expect(requestObject?.metadata).not.toHaveProperty('managedFields');
    expect(responseObject).toMatchObject({ data: { a: 'c' } });
    expect(responseObject?.metadata).not.toHaveProperty('managedFields');
  });

  it.each([
    ['application/merge-patch+json', '{ "data" : {"z":"1", "1":"2"} }', '{"data":{"z":"1","1":"2"}}'],
    [
      'application/apply-patch+yaml',
      'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: "1"\n',
      '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"}}',
    ],
  ])('has a patch as it was sent, in JSON: %s', async (type, sent, written) => {
    await ask('POST', configMaps, { metadata: { name: 'patched' } });
    const answer = await ask('PATCH', `${configMaps}/patched?fieldManager=x`, sent, { 'content-type': type });
    expect(answer.status).toBe(200);
    expect(recordOf(answer)).toMatchObject({ stage: 'ResponseComplete', responseStatus: { code: 200 } });
    expect(logText().includes(`"requestObject":${written},`)).toBe(true);
  });

  it('has an answer in JSON in whatever form the client was given it', async () => {
    await ask('POST', configMaps, { metadata: { name: 'forms' }, data: { a: 'b' } });
    const plain = await ask('GET', `${configMaps}/forms`);
    for (const accept of ['application/yaml', 'application/vnd.kubernetes.protobuf', 'application/json;as=Table;v=v1;g=meta.k8s.io']) {
      const answer = await ask('GET', `${configMaps}/forms`, undefined, { accept });
      const expected = accept.includes('Table') ? answer.body : plain.body;
      expect(recordOf(answer)['responseObject']).toEqual(expected);
    }
    const pretty = await ask('GET', `${configMaps}/forms?pretty=true`);
    expect(pretty.text).toContain('\n  "kind"');
    expect(recordOf(pretty)['responseObject']).toEqual(plain.body);
    const missing = await ask('GET', `${configMaps}/missing`, undefined, { accept: 'application/vnd.kubernetes.protobuf' });
    expect(recordOf(missing)['responseStatus']).toMatchObject({ reason: 'NotFound', code: 404 });
  });

  it('tells of a watch when it begins and when it ends', async () => {
    const answer = await ask('GET', `${configMaps}?watch=1&timeoutSeconds=1`);
    await vi.waitFor(() => expect(recordsOf(answer)).toHaveLength(3));
    const records = recordsOf(answer);
    expect(records.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    expect(records[0]).not.toHaveProperty('responseStatus');
    expect(records[1]).toMatchObject({ verb: 'watch', responseStatus: { metadata: {}, code: 200 }, annotations: allowed });
    expect(records[2]).not.toHaveProperty('responseObject');
  });

  it('has who asked and whom he acts for', async () => {
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters', 'impersonate-extra-scopes': 'x' };
    const answer = await ask('GET', `${configMaps}?limit=1`, undefined, headers);
    const [received, complete] = recordsOf(answer);
    expect(received).not.toHaveProperty('impersonatedUser');
    expect(complete).toMatchObject({
      user: { username: 'admin' },
      impersonatedUser: { username: 'jane', groups: ['system:masters', 'system:authenticated'], extra: { scopes: ['x'] } },
    });
  });

  it('has a refusal and why it is one', async () => {
    const answer = await ask('GET', configMaps, undefined, { 'impersonate-user': 'jane' });
    expect(answer.status).toBe(403);
    expect(recordOf(answer)).toMatchObject({
      responseStatus: { status: 'Failure', reason: 'Forbidden', details: { kind: 'configmaps' }, code: 403 },
      annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
    });
    const version = await ask('GET', '/version', undefined, { 'impersonate-user': 'jane' });
    expect(recordOf(version).annotations?.['authorization.k8s.io/reason']).toContain('allowed by ClusterRoleBinding');
  });

  it('has a stranger as nobody, once, when he is turned away', async () => {
    const answer = await ask('GET', configMaps, undefined, { authorization: 'Bearer made-up' });
    expect(answer.status).toBe(401);
    expect(recordsOf(answer)).toEqual([
      expect.objectContaining({ stage: 'ResponseStarted', user: {}, responseStatus: expect.objectContaining({ code: 401 }) as object }),
    ]);
    expect(logText().includes('made-up')).toBe(false);
  });

  it('tells that what was asked for is to be given up', async () => {
    const answer = await ask('GET', '/api/v1/namespaces/default/endpoints');
    expect(recordOf(answer).annotations).toEqual({ ...allowed, 'k8s.io/deprecated': 'true' });
  });

  it('has where it comes from by its own word, then by its connection', async () => {
    const headers = { 'x-forwarded-for': '10.1.2.3, bad, 10.9.9.9', 'x-real-ip': '10.7.7.7', 'user-agent': 'u'.repeat(1_100) };
    const record = recordOf(await ask('GET', '/version', undefined, headers));
    expect(record).toMatchObject({ sourceIPs: ['10.1.2.3', '10.9.9.9', '10.7.7.7', '127.0.0.1'] });
    expect(record['userAgent']).toBe(`${'u'.repeat(1_024)}...TRUNCATED`);
  });
});

describe('the audit log', () => {
  it('has no token by which somebody could act', async () => {
    await ask('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'acc' } });
    const spec = { expirationSeconds: 3_600 };
    const made = await ask('POST', '/api/v1/namespaces/default/serviceaccounts/acc/token', { spec });
    const issued = (made.body['status'] as { token: string }).token;
    expect(recordOf(made)).toMatchObject({ responseObject: { status: { expirationTimestamp: expect.any(String) as string } } });
    const review = await ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: issued } });
    expect(recordOf(review)).toMatchObject({ requestObject: { kind: 'TokenReview' }, responseObject: { status: { authenticated: true } } });
    await ask('GET', `${configMaps}?access_token=${issued}&limit=1`);
    expect(logText().includes(`${configMaps}?access_token=\\u0026limit=1`)).toBe(true);
    expect(logText().includes(issued)).toBe(false);
    expect(logText().includes(token)).toBe(false);
  });

  it('is for its owner alone', () => {
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
