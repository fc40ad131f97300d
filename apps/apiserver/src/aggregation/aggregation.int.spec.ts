import 'reflect-metadata';
import { Agent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServerAddress, startProcess, type ControlPlaneProcess } from '#libs/app-shell';
import { createCertificates, createFrontProxy } from '#libs/app-shell/certificates';
import { verify } from '#libs/audit';
import { LiveClock } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import type { JsonObject } from '#libs/kernel';
import { apiserverControllers, ApiserverModule } from '../apiserver.module';
import { ExtensionServer, metricsRoot, metricsService } from './extension-server.fixture';

const log = createMemoryLog();
const token = 'secret';
const services = '/api/v1/namespaces/kube-system/services';
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
let control: ControlPlaneProcess;
let agent: Agent;
let extension: ExtensionServer;

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json: any;
}

const options = (method: string, path: string, headers: Record<string, string | string[]>) => {
  const { port } = control.app.get(ServerAddress, { strict: false });
  const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  return { host: '127.0.0.1', port: port as number, agent, method, path, headers: all };
};

function ask(method: string, path: string, body?: object, headers: Record<string, string | string[]> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(options(method, path, headers), (message) => {
      let text = '';
      message.on('data', (chunk: Buffer) => (text += chunk.toString()));
      message.on('end', () => {
        const json = text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined;
        resolve({ status: message.statusCode as number, headers: message.headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

/** Leaves HTTP, says a word, and gives all that is said until the other has said `words`. */
function tunnelled(path: string, words: string): Promise<{ response: IncomingMessage; heard: string }> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(options('GET', path, { connection: 'Upgrade', upgrade: 'SPDY/3.1' }));
    request.on('upgrade', (response: IncomingMessage, socket: Duplex, head: Buffer) => {
      let heard = head.toString();
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.toString();
        if (heard.endsWith(words)) socket.destroy();
      });
      socket.once('close', () => resolve({ response, heard }));
      socket.write('there');
    });
    request.on('error', reject);
    request.end();
  });
}

const available = async (): Promise<JsonObject | undefined> => {
  const { json } = await ask('GET', `${apiServices}/${metricsService}`);
  return (json.status?.conditions as JsonObject[] | undefined)?.[0];
};
const register = async (more: object = {}): Promise<void> => {
  expect((await ask('POST', apiServices, extension.registration(more))).status).toBe(201);
  await expect.poll(async () => (await available())?.reason).toBe('Passed');
};
const unregister = (): Promise<Answer> => ask('DELETE', `${apiServices}/${metricsService}`);

beforeAll(async () => {
  const now = Date.now();
  const certificates = await createCertificates({ hosts: ['localhost', '127.0.0.1'], now });
  const frontProxy = await createFrontProxy(now);
  control = await startProcess({
    log,
    clock: new LiveClock(),
    options: { cluster: 'local', seed: 'seed', apiserver: { host: '127.0.0.1', port: 0, token, ...certificates, frontProxy } },
    modules: [ApiserverModule],
    name: 'test',
  });
  agent = new Agent({ ca: certificates.ca });
  const told = await ask('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
  extension = await ExtensionServer.start(told.json.data['requestheader-client-ca-file'] as string);
  await ask('POST', services, extension.service);
});
afterEach(async () => {
  extension.answering = () => false;
  await unregister();
});
afterAll(async () => {
  const report = await verify({ log, cluster: 'local', controllers: apiserverControllers() });
  await control.close();
  await extension.close();
  agent.destroy();
  expect(report.findings).toEqual([]);
});

describe('a group version that another server answers', () => {
  it('is asked of that server, in the name of who asks and by a certificate that it can trust', async () => {
    await register();
    const answer = await ask('GET', `${metricsRoot}/nodes?labelSelector=b&fieldSelector=a%3Db`, undefined, {
      'impersonate-user': 'jane',
      'impersonate-group': ['ops', 'night', 'system:masters'],
      'impersonate-extra-example.com%2fteam': 'a',
      'x-remote-user': 'mallory',
      'x-remote-extra-mallory': 'yes',
      'x-own': 'kept',
    });
    expect(answer).toMatchObject({ status: 200, headers: { 'x-from': 'extension', 'content-type': 'application/json' } });
    expect(answer.json).toMatchObject({ kind: 'NodeMetricsList', items: [{ metadata: { name: 'node-1' } }] });
    const { headers, url, peer } = extension.last(`${metricsRoot}/nodes`) ?? {};
    expect({ url, peer }).toEqual({ url: `${metricsRoot}/nodes?fieldSelector=a%3Db&labelSelector=b`, peer: 'front-proxy-client' });
    expect(headers).toMatchObject({
      'x-remote-user': 'jane',
      'x-remote-group': 'ops, night, system:masters, system:authenticated',
      'x-remote-extra-example.com%2fteam': 'a',
      'x-own': 'kept',
      'x-forwarded-for': '127.0.0.1',
    });
    expect(headers?.['audit-id']).toBe(answer.headers['audit-id']);
    for (const hidden of ['authorization', 'impersonate-user', 'x-remote-extra-mallory'])
      expect(headers, hidden).not.toHaveProperty(hidden);
  });

  it('gets what is sent there as it was sent', async () => {
    await register();
    await ask('POST', `${metricsRoot}/nodes`, { metadata: { name: 'new' } });
    expect(extension.last(`${metricsRoot}/nodes`)).toMatchObject({ method: 'POST', body: '{"metadata":{"name":"new"}}' });
  });

  it('is not asked for what somebody may not do', async () => {
    await register();
    const before = extension.received.length;
    const { status, json } = await ask('GET', `${metricsRoot}/pods`, undefined, { 'impersonate-user': 'nobody' });
    expect(status).toBe(403);
    expect(json.message).toBe(
      'pods.metrics.k8s.io is forbidden: User "nobody" cannot list resource "pods" in API group "metrics.k8s.io" at the cluster scope',
    );
    // The right to read `/apis/*` is one to documents.
    for (const odd of [`${metricsRoot}//pods`, `${metricsRoot}/%2fpods`])
      expect((await ask('GET', odd, undefined, { 'impersonate-user': 'nobody' })).status).toBe(403);
    expect(extension.received.slice(before).filter(({ url }) => url.endsWith('/pods'))).toEqual([]);
  });

  it('can be watched: what the server says comes when it says it', async () => {
    await register();
    const first = await new Promise<string>((resolve, reject) => {
      const request = httpsRequest(options('GET', `${metricsRoot}/nodes?watch=1`, {}), (message) => {
        message.once('data', (chunk: Buffer) => {
          resolve(chunk.toString());
          request.destroy();
        });
      });
      request.on('error', reject);
      request.end();
    });
    expect(JSON.parse(first)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'node-1' } } });
  });

  it('may speak a protocol of its own with whoever asks for it', async () => {
    await register();
    const { response, heard } = await tunnelled(`${metricsRoot}/nodes/node-1/talk`, 'there');
    expect([response.statusCode, response.headers['x-own'], heard]).toEqual([101, 'yes', 'hello there']);
    expect(extension.last(`${metricsRoot}/nodes/node-1/talk`)).toMatchObject({
      peer: 'front-proxy-client',
      headers: { upgrade: 'SPDY/3.1' },
    });
    const refused = await ask('GET', `${metricsRoot}/nodes/node-1/refuse`, undefined, { connection: 'Upgrade', upgrade: 'SPDY/3.1' });
    expect([refused.status, refused.text]).toEqual([403, 'no']);
  });

  it('is gone at once with its APIService', async () => {
    await register();
    await unregister();
    expect(await ask('GET', `${metricsRoot}/nodes`)).toMatchObject({ status: 404, text: '404 page not found\n' });
  });
});

describe('discovery', () => {
  const whole = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const items = async (): Promise<{ metadata: { name: string }; versions: JsonObject[] }[]> =>
    (await ask('GET', '/apis', undefined, { accept: whole })).json.items;
  const item = async () => (await items()).find(({ metadata }) => metadata.name === 'metrics.k8s.io')?.versions;
  const groups = async (): Promise<string[]> => ((await ask('GET', '/apis')).json.groups as { name: string }[]).map(({ name }) => name);

  it('has what the other server has, in both forms, and nothing of it once its APIService is gone', async () => {
    const before = await ask('GET', '/apis', undefined, { accept: whole });
    const groupsBefore = await groups();
    await register({ groupPriorityMinimum: 17_450 });
    const place = groupsBefore.indexOf('batch');
    expect(await groups()).toEqual([...groupsBefore.slice(0, place), 'metrics.k8s.io', ...groupsBefore.slice(place)]);
    expect((await ask('GET', '/apis/metrics.k8s.io')).json).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'metrics.k8s.io',
      versions: [{ groupVersion: 'metrics.k8s.io/v1beta1', version: 'v1beta1' }],
      preferredVersion: { groupVersion: 'metrics.k8s.io/v1beta1', version: 'v1beta1' },
    });
    expect(await item()).toEqual([
      {
        version: 'v1beta1',
        resources: [
          {
            resource: 'nodes',
            responseKind: { group: '', version: '', kind: 'NodeMetrics' },
            scope: 'Cluster',
            singularResource: '',
            verbs: ['get', 'list'],
          },
          {
            resource: 'pods',
            responseKind: { group: '', version: '', kind: 'PodMetrics' },
            scope: 'Namespaced',
            singularResource: '',
            verbs: ['get', 'list'],
          },
        ],
        freshness: 'Current',
      },
    ]);
    expect((await ask('GET', '/')).json.paths).toContain('/apis/metrics.k8s.io/v1beta1');
    await unregister();
    const after = await ask('GET', '/apis', undefined, { accept: whole });
    expect([after.headers.etag, after.text]).toEqual([before.headers.etag, before.text]);
    expect((await ask('GET', '/apis/metrics.k8s.io')).status).toBe(404);
  });

  it('is asked for in one form of a server that knows it, and kept by its tag', async () => {
    const tags: unknown[] = [];
    const resources = [{ resource: 'nodes', responseKind: { kind: 'NodeMetrics' }, scope: 'Cluster', verbs: ['list'], unknown: 'x' }];
    extension.answering = ({ url, headers }, response) => {
      if (url !== '/apis') return false;
      tags.push(headers['if-none-match']);
      if (headers['if-none-match'] === '"1"') return response.writeHead(304).end() !== undefined;
      response.writeHead(200, { 'content-type': whole, etag: '"1"' });
      response.end(
        JSON.stringify({
          items: [{ metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', resources, freshness: 'Current' }] }],
        }),
      );
      return true;
    };
    await register();
    const said = [
      { version: 'v1beta1', freshness: 'Current', resources: [expect.objectContaining({ resource: 'nodes', scope: 'Cluster' })] },
    ];
    expect(await item()).toEqual(said);
    expect(JSON.stringify(await item())).not.toContain('unknown');
    // An APIService that changes makes its server be asked again.
    await ask(
      'PATCH',
      `${apiServices}/${metricsService}`,
      { spec: { versionPriority: 7 } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(await item()).toEqual(said);
    expect(tags).toEqual([undefined, '"1"']);
  });

  it('names a group version whose server does not answer, and says that it is stale', async () => {
    extension.answering = (_request, response) => response.writeHead(503).end() !== undefined;
    await ask('POST', apiServices, extension.registration());
    await expect.poll(async () => (await available())?.status).toBe('False');
    expect(await item()).toEqual([{ version: 'v1beta1', freshness: 'Stale' }]);
    expect(await groups()).toContain('metrics.k8s.io');
  });

  it('tells where the other server has its OpenAPI documents, and hands on who asks for one', async () => {
    const at = 'apis/metrics.k8s.io/v1beta1';
    const url = `/openapi/v3/${at}?hash=1`;
    extension.answering = (request, response) => {
      if (!request.url?.startsWith('/openapi/v3')) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const paths = { [at]: { serverRelativeURL: url }, version: { serverRelativeURL: '/elsewhere' } };
      response.end(JSON.stringify(request.url === '/openapi/v3' ? { paths } : { openapi: '3.0.0', info: { title: 'metrics' } }));
      return true;
    };
    await register();
    const { paths } = (await ask('GET', '/openapi/v3')).json as { paths: Record<string, { serverRelativeURL: string }> };
    expect(paths[at]).toEqual({ serverRelativeURL: url });
    expect(paths.version?.serverRelativeURL).toMatch(/^\/openapi\/v3\/version\?hash=/);
    expect((await ask('GET', url)).json).toEqual({ openapi: '3.0.0', info: { title: 'metrics' } });
    expect(Object.keys((await ask('GET', '/openapi/v3/version')).json.paths as object)).toEqual(['/version/']);
    expect(extension.last(`/openapi/v3/${at}`)).toMatchObject({ url, headers: { 'x-remote-user': 'admin' } });
    await unregister();
    expect((await ask('GET', url)).status).toBe(404);
    expect(Object.keys((await ask('GET', '/openapi/v3')).json.paths as object)).not.toContain(at);
  });

  it('has in OpenAPI v2 what the other server has there', async () => {
    const path = '/apis/metrics.k8s.io/v1beta1/nodes';
    extension.answering = (request, response) => {
      if (request.url !== '/openapi/v2') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ swagger: '2.0', paths: { [path]: {}, '/elsewhere': {} }, definitions: {} }));
      return true;
    };
    const before = await ask('GET', '/openapi/v2');
    await register();
    const merged = await ask('GET', '/openapi/v2');
    expect(Object.keys(merged.json.paths as object)).toEqual([...Object.keys(before.json.paths as object), path]);
    expect(merged.headers.etag).not.toBe(before.headers.etag);
    await unregister();
    expect((await ask('GET', '/openapi/v2')).headers.etag).toBe(before.headers.etag);
  });

  it('shows under a moment of the past the groups of then, and asks nobody', async () => {
    await register();
    const { json } = await ask('GET', `${apiServices}/${metricsService}`);
    await unregister();
    const before = extension.received.length;
    const then = await ask('GET', `/at/${json.metadata.resourceVersion}/apis`);
    expect((then.json.groups as { name: string }[]).map((group) => group.name)).toContain('metrics.k8s.io');
    const all = await ask('GET', `/at/${json.metadata.resourceVersion}/apis`, undefined, { accept: whole });
    expect((all.json.items as JsonObject[]).at(-1)).toEqual({
      metadata: { name: 'metrics.k8s.io' },
      versions: [{ version: 'v1beta1', freshness: 'Stale' }],
    });
    expect(extension.received.length).toBe(before);
  });
});

describe('a server that cannot be asked', () => {
  it('is told of as upstream tells of it, and found again when it is back', async () => {
    let status = 403;
    extension.answering = (_request, response) => {
      if (status === 200) return false;
      response.writeHead(status).end();
      return true;
    };
    expect((await ask('POST', apiServices, extension.registration())).status).toBe(201);
    await expect.poll(async () => (await available())?.reason).toBe('FailedDiscoveryCheck');
    const { spec } = (await ask('GET', `${services}/metrics`)).json as { spec: { clusterIP: string } };
    const url = `https://${spec.clusterIP}:443${metricsRoot}`;
    expect(await available()).toMatchObject({
      status: 'False',
      message: `failing or missing response from ${url}: bad status from ${url}: 403`,
    });
    expect(await ask('GET', `${metricsRoot}/nodes`)).toMatchObject({ status: 503, text: 'service unavailable\n' });
    status = 200;
    await expect.poll(async () => (await available())?.status, { timeout: 10_000 }).toBe('True');
    expect(await available()).toMatchObject({ reason: 'Passed', message: 'all checks passed' });
  });

  it('is not believed where its certificate is not vouched for, unless nobody minds', async () => {
    const other = await createCertificates({ hosts: ['x'], now: Date.now() });
    await register({ caBundle: Buffer.from(other.ca).toString('base64') });
    expect(await ask('GET', `${metricsRoot}/nodes`)).toMatchObject({
      status: 503,
      text: 'error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority\n',
    });
    await unregister();
    await register({ caBundle: undefined, insecureSkipTLSVerify: true });
    expect((await ask('GET', `${metricsRoot}/nodes`)).status).toBe(200);
  });

  it('may break off in the middle: nobody takes what came for all', async () => {
    await register();
    extension.answering = ({ url }, response) => {
      if (!url?.endsWith('/nodes')) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"kind":', () => response.destroy());
      return true;
    };
    await expect(
      new Promise((resolve, reject) => {
        const request = httpsRequest(options('GET', `${metricsRoot}/nodes`, {}), (message) => {
          message.resume();
          message.once('error', reject);
          message.once('end', resolve);
        });
        request.on('error', reject);
        request.end();
      }),
    ).rejects.toThrow();
  });
});
