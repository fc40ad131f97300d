import 'reflect-metadata';
import { Agent, request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerAddress, startProcess, type ControlPlaneProcess } from '#libs/app-shell';
import { LiveClock } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { ApiserverModule } from '../apiserver.module';
import { createCertificates } from '#libs/app-shell/certificates';

const log = createMemoryLog();
const token = 'secret';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';
let control: ControlPlaneProcess;
let agent: Agent;

interface Answer {
  status: number;
  body: { message?: string; [key: string]: unknown };
}

function ask(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string | string[]> = {},
  credentials = true,
): Promise<Answer> {
  const { port } = control.app.get(ServerAddress, { strict: false });
  return new Promise((resolve, reject) => {
    const all = { ...(credentials ? { authorization: `Bearer ${token}` } : {}), 'content-type': 'application/json', ...headers };
    const request = httpsRequest({ host: '127.0.0.1', port: port as number, agent, method, path, headers: all }, (message) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: message.statusCode as number, body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : {} });
      });
    });
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

const configMap = (name: string): object => ({ metadata: { name } });
const asJane = { 'impersonate-user': 'jane', 'impersonate-group': ['writers', 'night'] };

beforeAll(async () => {
  const certificates = await createCertificates({ hosts: ['localhost', '127.0.0.1'], now: Date.now() });
  control = await startProcess({
    log,
    clock: new LiveClock(),
    options: { cluster: 'local', seed: 'seed', apiserver: { host: '127.0.0.1', port: 0, token, ...certificates } },
    modules: [ApiserverModule],
    name: 'test',
  });
  agent = new Agent({ ca: certificates.ca });
  const rules = [{ verbs: ['create', 'update'], apiGroups: [''], resources: ['configmaps'] }];
  await ask('POST', `${rbac}/clusterroles`, { metadata: { name: 'writer' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' };
  const subjects = [{ kind: 'Group', name: 'writers' }];
  await ask('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'writers' }, roleRef, subjects });
});
afterAll(async () => {
  agent.destroy();
  await control.close();
});

describe('who may do what', () => {
  it.each([
    ['POST', configMaps],
    ['GET', configMaps],
    ['DELETE', `${configMaps}/a`],
    ['PATCH', `${configMaps}/a`],
    ['POST', `${rbac}/clusterroles`],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['GET', '/api'],
    ['GET', '/metrics'],
  ])('without credentials, %s %s is forbidden', async (method, path) => {
    const { status, body } = await ask(method, path, method === 'GET' ? undefined : configMap('a'), {}, false);
    expect(status).toBe(403);
    expect(body.message).toContain('User "system:anonymous" cannot');
  });

  it.each(['/healthz', '/livez', '/readyz', '/version'])('without credentials, %s is told', async (path) => {
    expect((await ask('GET', path, undefined, {}, false)).status).toBe(200);
  });

  it('tells of the health to those who ask for its head', async () => {
    expect((await ask('HEAD', '/readyz')).status).toBe(200);
  });

  it('lets nobody write by the former path of watches', async () => {
    const { status, body } = await ask('POST', configMaps.replace('/v1/', '/v1/watch/'), configMap('watched'));
    expect([status, body.reason]).toEqual([405, 'MethodNotAllowed']);
    expect((await ask('GET', `${configMaps}/watched`)).status).toBe(404);
  });

  it('is what roles say, for whoever somebody acts for', async () => {
    expect((await ask('POST', configMaps, configMap('janes'), asJane)).status).toBe(201);
    expect((await ask('GET', `${configMaps}/janes`, undefined, asJane)).body.message).toBe(
      'configmaps "janes" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
    // A namespace lies in itself.
    expect((await ask('GET', '/api/v1/namespaces/default', undefined, asJane)).body.message).toContain('in the namespace "default"');
  });

  it('stands in the log with who asked for it', async () => {
    const created = [];
    for await (const page of log.readAll()) created.push(...page.filter(({ stream }) => stream.endsWith('/janes')));
    expect(created[0]?.metadata).toMatchObject({ actor: 'user:jane', impersonator: 'admin', groups: ['writers', 'night'] });
  });

  it('asks for creation where an update would create', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l';
    await ask('POST', `${rbac}/clusterroles`, {
      metadata: { name: 'updater' },
      rules: [{ verbs: ['update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }],
    });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'updater' };
    await ask('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'u' }, roleRef, subjects: [{ kind: 'User', name: 'uma' }] });
    const { status, body } = await ask('PUT', lease, { metadata: { name: 'l' } }, { 'impersonate-user': 'uma' });
    expect(status).toBe(403);
    expect(body.message).toBe(
      'leases.coordination.k8s.io "l" is forbidden: User "uma" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"',
    );
  });

  it('shows what Secrets hold in the log to those alone who may list Secrets', async () => {
    await ask('POST', `${rbac}/clusterroles`, {
      metadata: { name: 'log-reader' },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/kubereel/*'] }],
    });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'log-reader' };
    await ask('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'l' }, roleRef, subjects: [{ kind: 'User', name: 'lea' }] });
    const asLea = { 'impersonate-user': 'lea' };
    expect((await ask('GET', '/kubereel/log', undefined, asLea)).status).toBe(200);
    expect(await ask('GET', '/kubereel/log?secrets=shown', undefined, asLea)).toMatchObject({
      status: 403,
      body: { message: 'secrets is forbidden: User "lea" cannot list resource "secrets" in API group "" at the cluster scope' },
    });
    expect((await ask('GET', '/kubereel/log?secrets=shown')).status).toBe(200);
  });

  it('gives nobody more than whoever gives it has', async () => {
    const role = { metadata: { name: 'more' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
    await ask('POST', `${rbac}/clusterroles`, {
      metadata: { name: 'role-maker' },
      rules: [{ verbs: ['create', 'patch'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] }],
    });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'role-maker' };
    await ask('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'r' }, roleRef, subjects: [{ kind: 'User', name: 'rob' }] });
    const asRob = { 'impersonate-user': 'rob' };
    expect((await ask('POST', `${rbac}/clusterroles`, role, asRob)).body.message).toContain('permissions not currently held');
    const merge = { ...asRob, 'content-type': 'application/merge-patch+json' };
    const patch = await ask('PATCH', `${rbac}/clusterroles/role-maker`, { rules: role.rules }, merge);
    expect(patch.body.message).toContain('{APIGroups:["*"], Resources:["*"], Verbs:["*"]}');
  });
});
