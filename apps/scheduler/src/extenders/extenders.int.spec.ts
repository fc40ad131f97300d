import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createCertificates } from '#libs/app-shell/certificates';
import { renderWhy, why, type WhyReport } from '#libs/audit';
import { CallShell, type Controller } from '#libs/control-loop';
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { attemptOf } from '#libs/scheduler';
import { schedulerWorld } from '../../../../libs/scheduler/src/scheduler-world.fixture';
import { extenderCalls } from './extender-calls';
import { httpSender } from './http-sender';

type Handler = (path: string, body: JsonObject) => Json | number | undefined | Promise<Json | undefined>;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** An extender: what it gives is a body, a status other than 200, or nothing at all. */
async function extender(handle: Handler): Promise<{ url: string; asked: [string, JsonObject][] }> {
  const asked: [string, JsonObject][] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      asked.push([request.url ?? '', body]);
      const answer = await handle(request.url ?? '', body);
      if (answer === undefined) return;
      response.writeHead(typeof answer === 'number' ? answer : 200).end(JSON.stringify(answer));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function worldWith(config: JsonObject) {
  const world = await schedulerWorld();
  for (const name of ['a', 'b', 'c']) await world.node(name, '4');
  const run = async () => {
    const running = await world.runScheduler(
      { config },
      (runtime, controller) =>
        new CallShell(
          runtime,
          extenderCalls(controller.name, (call) => sender(call)),
        ),
    );
    await world.executive.settle();
    return running;
  };
  const { controller, stop } = await world.runScheduler({ config });
  stop();
  const sender = httpSender(controller.profiles.configuration.extenders);
  return { ...world, run };
}

const filtering = { filterVerb: 'filter', nodeCacheCapable: true };

describe('extenders over HTTP', () => {
  it('filter and prioritize; what they answered is recorded before it is used, and decisions can be made again', async () => {
    const { url, asked } = await extender((path, body) =>
      path === '/filter' ? { NodeNames: (body.NodeNames as string[]).filter((name) => name !== 'a') } : [{ Host: 'c', Score: 10 }],
    );
    const { pod, get, run, verified, events } = await worldWith({
      extenders: [{ urlPrefix: url, ...filtering, prioritizeVerb: 'score', weight: 5 }],
    });
    for (let i = 0; i < 4; i++) await pod(`p${i}`, '1');
    const { controller } = await run();
    expect([0, 1, 2, 3].map((i) => get(`p${i}`)?.spec.nodeName)).toEqual(['c', 'c', 'c', 'c']);
    expect(asked.map(([path]) => path).slice(0, 2)).toEqual(['/filter', '/score']);
    expect(await events('ExtenderAnswered')).toHaveLength(8);
    const all = await events();
    const at = (type: string): number => all.findIndex((event) => event.type === type);
    expect(at('ExtenderAsked')).toBeLessThan(at('ExtenderAnswered'));
    expect(at('ExtenderAnswered')).toBeLessThan(at('PodScheduled'));
    expect(await verified(controller)).toMatchObject({ agreed: 12, differ: 0, notDerivable: 0, differences: [] });
  });

  it('that are not there fail the attempt, which is tried again; ignorable ones are passed over', async () => {
    const nowhere = { urlPrefix: 'http://127.0.0.1:1', ...filtering };
    const { pod, get, run, executive, verified } = await worldWith({ extenders: [nowhere] });
    await pod('p', '1');
    const { controller } = await run();
    await executive.runFor(3_000);
    expect(get('p')?.status.conditions).toMatchObject([
      { reason: 'SchedulerError', message: 'Post "http://127.0.0.1:1/filter": dial tcp 127.0.0.1:1: connect: connection refused' },
    ]);
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0 });
    const ignoring = await worldWith({ extenders: [{ ...nowhere, ignorable: true }] });
    await ignoring.pod('p', '1');
    await ignoring.run();
    expect(ignoring.get('p')?.spec.nodeName).toBeDefined();
  });

  it('that answer anything but 200, no JSON, or not in time have failed', async () => {
    const { url } = await extender((path) => (path === '/broken/filter' ? 500 : path === '/late/filter' ? undefined : 'text'));
    const messageOf = async (urlPrefix: string): Promise<string> => {
      const { pod, get, run } = await worldWith({ extenders: [{ urlPrefix, ...filtering, httpTimeout: '60ms' }] });
      await pod('p', '1');
      (await run()).stop();
      return (get('p') as KubeObject).status.conditions[0].message as string;
    };
    expect(await messageOf(`${url}/broken`)).toBe(`failed filter with extender at URL ${url}/broken/filter, code 500`);
    expect(await messageOf(`${url}/late`)).toContain('context deadline exceeded');
    expect(await messageOf(`${url}/text`)).toContain('extender answered with "text"');
  });

  it('are asked again where the cluster has changed while they were thinking', async () => {
    let grow: () => Promise<void> = () => Promise.resolve();
    const { url, asked } = await extender(async (_path, body) => {
      await grow();
      grow = () => Promise.resolve();
      return { NodeNames: body.NodeNames };
    });
    const { pod, get, node, run, verified } = await worldWith({ extenders: [{ urlPrefix: url, ...filtering }] });
    grow = () => node('d', '4');
    await pod('p', '1');
    const { controller } = await run();
    expect(asked.map(([, { NodeNames }]) => (NodeNames as string[]).length)).toEqual([3, 4]);
    expect(get('p')?.spec.nodeName).toBeDefined();
    expect(await verified(controller)).toMatchObject({ agreed: 3, differ: 0, notDerivable: 0 });
  });

  it('take part in preemption, with the same chance before and after they are asked', async () => {
    const { url } = await extender((_path, body) => {
      const victims = body.NodeNameToMetaVictims as Record<string, JsonObject>;
      return { NodeNameToMetaVictims: { b: victims.b } };
    });
    const { pod, get, run, verified, executive } = await worldWith({
      extenders: [{ urlPrefix: url, preemptVerb: 'preempt', nodeCacheCapable: true }],
    });
    for (const name of ['x', 'y', 'z']) await pod(name, '4');
    const { controller } = await run();
    await pod('high', '4', 1_000);
    await executive.settle();
    expect(get('high')?.status.nominatedNodeName).toBe('b');
    expect(await verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('bind pods themselves; one that fails leaves the pod to be tried again', async () => {
    const binding = { urlPrefix: '', bindVerb: 'bind' };
    let failures = 1;
    let bindPod: (name: string, node: string) => Promise<unknown> = () => Promise.resolve();
    const { url, asked } = await extender(async (_path, { PodName, Node }) => {
      if (failures-- > 0) return { Error: 'not now' };
      await bindPod(PodName as string, Node as string);
      return { Error: '' };
    });
    const world = await worldWith({ extenders: [{ ...binding, urlPrefix: url }] });
    bindPod = world.bind;
    await world.pod('p', '1');
    const { controller } = await world.run();
    expect(world.get('p')?.status.conditions).toMatchObject([{ reason: 'SchedulerError', message: 'not now' }]);
    await world.executive.runFor(3_000);
    expect(world.get('p')?.spec.nodeName).toBe(asked[1]?.[1].Node);
    expect(asked[0]?.[1]).toMatchObject({ PodName: 'p', PodNamespace: 'default', PodUID: 'u-p' });
    await world.pod('q', '1');
    await world.executive.settle();
    expect(world.get('q')?.spec.nodeName).toBeDefined();
    expect(await world.verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('bind side by side, some failing: nodes are never over-filled, and every decision can be made again', async () => {
    let calls = 0;
    let bindPod: (name: string, node: string) => Promise<unknown> = () => Promise.resolve();
    const { url } = await extender(async (path, body) => {
      if (path === '/filter') return { NodeNames: body.NodeNames };
      const place = calls++;
      await new Promise((resolve) => setTimeout(resolve, (place * 7) % 11));
      if (place % 3 === 0) return { Error: 'busy' };
      await bindPod(body.PodName as string, body.Node as string);
      return {};
    });
    const world = await worldWith({ extenders: [{ urlPrefix: url, ...filtering, bindVerb: 'bind' }] });
    bindPod = world.bind;
    for (let i = 0; i < 15; i++) await world.pod(`p${i}`, '1', i % 4);
    const { controller } = await world.run();
    await world.executive.runFor(60_000);
    const bound = [...world.runtime.state.list('pods')].filter(({ spec }) => spec.nodeName);
    expect(bound).toHaveLength(12);
    for (const node of ['a', 'b', 'c']) expect(bound.filter(({ spec }) => spec.nodeName === node)).toHaveLength(4);
    expect(await world.verified(controller)).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('a scheduler that is started again while an extender is thinking begins the attempt anew', async () => {
    const { url, asked } = await extender((_path, body) => ({ NodeNames: body.NodeNames }));
    const config = { extenders: [{ urlPrefix: url, ...filtering }] };
    const { pod, get, run, runScheduler, executive, events, verified } = await worldWith(config);
    await pod('p', '1');
    // It died between the record and the answer.
    const first = await runScheduler({ config });
    await executive.settle();
    first.stop();
    expect(await events('ExtenderAsked')).toHaveLength(1);
    const { controller } = await run();
    expect(get('p')?.spec.nodeName).toBeDefined();
    expect(asked).toHaveLength(1);
    expect(await verified(controller)).toMatchObject({ agreed: 3, differ: 0, notDerivable: 0 });
  });

  it('are asked over TLS: with their authority, or unchecked where that is said', async () => {
    const { certificate, privateKey, ca } = await createCertificates({ hosts: ['127.0.0.1', 'localhost'], now: Date.now() });
    const server = createTlsServer({ cert: certificate, key: privateKey }, (_request, response) =>
      response.end(JSON.stringify({ NodeNames: ['b'] })),
    );
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const urlPrefix = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const nodeFor = async (more: JsonObject): Promise<string | undefined> => {
      const { pod, get, run } = await worldWith({ extenders: [{ urlPrefix, ...filtering, ...more }] });
      await pod('p', '1');
      (await run()).stop();
      return get('p')?.spec.nodeName;
    };
    expect(await nodeFor({ tlsConfig: { caData: Buffer.from(ca).toString('base64') } })).toBe('b');
    expect(await nodeFor({ enableHTTPS: true })).toBe('b');
    expect(await nodeFor({})).toBeUndefined();
  });

  it('appear in why: what they were asked and answered, and the verdicts they left', async () => {
    const { url } = await extender((_path, body) => ({
      NodeNames: (body.NodeNames as string[]).filter((name) => name !== 'a'),
      FailedNodes: { a: 'too loud' },
    }));
    const { pod, run, log } = await worldWith({ extenders: [{ urlPrefix: url, ...filtering }] });
    await pod('p', '1');
    const { controller } = await run();
    const explainers = [{ explains: (controller: string) => controller === 'scheduler', attemptOf }];
    const object = { resource: 'pods', namespace: 'default', name: 'p' };
    const report = await why({ log, cluster: 'local', seed: 's', object, controllers: [controller as unknown as Controller], explainers });
    const told = renderWhy(report as WhyReport);
    expect(told).toContain(`asks the extender at ${url}/filter`);
    expect(told).toContain('the extender answered');
    expect(told).toMatch(/a {2}too loud/);
    expect(told).toMatch(/→ [bc] {2}fits/);
  });

  it('keeps nothing of the keys it asks with', async () => {
    const tlsConfig = { insecure: true, keyData: 'c2VjcmV0', certData: 'Y2VydA==' };
    const { events } = await worldWith({ extenders: [{ urlPrefix: 'https://127.0.0.1:1', ...filtering, tlsConfig }] });
    const [started] = await events('ControllerStarted');
    expect(JSON.stringify(started?.data)).not.toContain('c2VjcmV0');
    expect(started?.data.config).toMatchObject({ kubeSchedulerConfiguration: { extenders: [{ filterVerb: 'filter' }] } });
  });
});
