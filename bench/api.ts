import { request } from 'node:https';
import type { Figure } from './figure';
import { benchOwners } from './owners';
import { pacedLoad, type PacedRequest } from './paced-load';
import { call, cpuSeconds, createAll, pod, start, stop, type Running } from './running-cluster';

const pods = '/api/v1/namespaces/default/pods';
const configMaps = '/api/v1/namespaces/default/configmaps';
const podsCount = 10_000;
const watchersCount = 100;
const tables = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const metadata = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';
const protobuf = 'application/vnd.kubernetes.protobuf';
/** Requests a second, begun when they are due and not when the one before is answered. */
const ratePerSecond = 1_000;

/** The API alone, as clients see it: a process of its own, TLS, the durable log, nobody else at work. */
export async function benchApi(scale: number): Promise<Figure[]> {
  const running = await start(['--nodes', '0', '--apps', 'apiserver,priority-admission,controller-manager']);
  try {
    const count = Math.round(podsCount * scale);
    await createAll(
      running,
      Array.from({ length: count }, (_, i) => labelled(`p${i}`, i % (count / 100) === 0 ? 'rare' : 'web')),
    );
    const requests = Math.round(5_000 * scale);
    const configMap = (name: string, n = name) => ({ metadata: { name }, data: { n } });
    const get = (headers = {}): PacedRequest => ({ method: 'GET', path: `${pods}/p7`, headers });
    const list = (query = '', headers = {}) => call(running, 'GET', `${pods}${query}`, undefined, headers);
    const create = (i: number): PacedRequest => ({ method: 'POST', path: configMaps, body: configMap(`m${i}`) });
    // The engine has compiled by then what is measured.
    const warmUp = Array.from({ length: requests / 5 }, (_, i) => [get(), create(requests + i)]);
    await pacedLoad(running, warmUp.flat(), ratePerSecond);
    for (let i = 0; i < requests / 5; i++) await list('?limit=1');
    const creates = await paced(running, 'create of a config map', requests, create);
    return [
      ...(await paced(running, 'get of a pod', requests, () => get())),
      ...(await paced(running, 'get of a pod, as Table', requests, () => get({ accept: tables }))),
      ...(await paced(running, 'get of a pod, in protobuf', requests, () => get({ accept: protobuf }))),
      ...creates,
      benchOwners('a new config map', 'configmaps', (i) => configMap(`m${i}`), (creates[2] as Figure).value),
      ...(await paced(running, 'update of a config map', requests, (i) => ({
        method: 'PUT',
        path: `${configMaps}/m${i}`,
        body: configMap(`m${i}`, 'other'),
      }))),
      ...(await paced(running, 'merge patch of a config map', requests, (i) => ({
        method: 'PATCH',
        path: `${configMaps}/m${i}`,
        body: { data: { n: 'third' } },
        headers: { 'content-type': 'application/merge-patch+json' },
      }))),
      ...(await paced(running, 'deletion of a config map', requests, (i) => ({ method: 'DELETE', path: `${configMaps}/m${i}` }))),
      ...(await inTurn(running, `list of ${count} pods by a set of labels`, 20, () =>
        list(`?labelSelector=${encodeURIComponent('app in (web,rare)')}`),
      )),
      ...(await inTurn(running, `list of ${count} pods`, 20, () => list())),
      ...(await inTurn(running, `list of ${count} pods, as Table`, 20, () => list('', { accept: tables }))),
      ...(await inTurn(running, `list of ${count} pods, metadata alone`, 20, () => list('', { accept: metadata }))),
      ...(await inTurn(running, `list of ${count} pods, in protobuf`, 20, () => list('', { accept: protobuf }))),
      ...(await inTurn(running, `list of ${count} pods, gzip`, 20, () => list('', { 'accept-encoding': 'gzip' }))),
      ...(await inTurn(running, 'page of 500 pods', 100, () => list('?limit=500'))),
      ...(await inTurn(running, `list of 100 by label beside ${count}`, 200, () => list('?labelSelector=app%3Drare'))),
      ...(await paced(running, 'create of a pod', requests, (i) => ({ method: 'POST', path: pods, body: labelled(`q${i}`, 'new') }), 250)),
      ...(await watched(running, requests)),
    ];
  } finally {
    await stop(running);
  }
}

function labelled(name: string, app: string): object {
  const made = pod(name, '10m') as { metadata: object };
  return { ...made, metadata: { ...made.metadata, labels: { app } } };
}

type Call = (i: number) => Promise<{ code: number; body: string }>;

/** At a steady rate; latencies count from the moment at which a request was due. */
async function paced(
  running: Running,
  name: string,
  count: number,
  request: (i: number) => PacedRequest,
  rate = ratePerSecond,
): Promise<Figure[]> {
  const requests = Array.from({ length: count }, (_, i) => request(i));
  const times: number[] = [];
  return measured(running, `${name}, ${rate}/s`, count, times, async () => {
    const load = await pacedLoad(running, requests, rate);
    times.push(...load.times);
    return load.bytes;
  });
}

async function inTurn(running: Running, name: string, count: number, ask: Call): Promise<Figure[]> {
  const times: number[] = [];
  return measured(running, name, count, times, async () => {
    let bytes = 0;
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      bytes = succeeded(await ask(i)).length;
      times.push(performance.now() - began);
    }
    return bytes;
  });
}

function succeeded({ code, body }: { code: number; body: string }): string {
  if (code >= 300) throw new Error(`answered ${code}: ${body}`);
  return body;
}

/** Config maps are created while many watch; latencies are from the request to each watcher's frame. */
async function watched(running: Running, count: number): Promise<Figure[]> {
  const asked = new Map<string, number>();
  const times: number[] = [];
  let bytes = 0;
  let heard = 0;
  let done: () => void = () => undefined;
  const version = (JSON.parse((await call(running, 'GET', configMaps)).body) as { metadata: { resourceVersion: string } }).metadata
    .resourceVersion;
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    for (const [, name] of chunk.toString('latin1').matchAll(/"metadata":\{"name":"(w\d+)"/g)) {
      times.push(performance.now() - (asked.get(name as string) ?? 0));
      if (++heard === count * watchersCount) done();
    }
  };
  const watchers = await Promise.all(
    Array.from({ length: watchersCount }, () => watcher(running, `${configMaps}?watch=1&resourceVersion=${version}`, take)),
  );
  const name = `${watchersCount} watchers, creates 200/s`;
  const figures = await measured(running, name, count, times, async () => {
    const all = new Promise<void>((resolve) => (done = resolve));
    const began = performance.now();
    for (let i = 0; i < count; i++) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + i * 5 - performance.now())));
      asked.set(`w${i}`, performance.now());
      void call(running, 'POST', configMaps, { metadata: { name: `w${i}` } }).then(succeeded);
    }
    await all;
    return Math.round(bytes / count);
  });
  for (const each of watchers) each.destroy();
  return figures;
}

function watcher({ ca, url, token }: Running, path: string, take: (chunk: Buffer) => void): Promise<{ destroy: () => void }> {
  return new Promise((resolve) => {
    const sent = request(
      { ca, host: url.hostname, port: url.port, path, headers: { authorization: `Bearer ${token}` }, agent: false },
      (response) => {
        response.on('data', take);
        resolve(sent);
      },
    );
    sent.on('error', () => undefined);
    sent.end();
  });
}

/** @param run does it `count` times, fills in the times of each, ms, and gives the bytes of one answer */
async function measured(running: Running, name: string, count: number, times: number[], run: () => Promise<number>): Promise<Figure[]> {
  const before = cpuSeconds(running.pids);
  const bytes = await run();
  const spent = ((cpuSeconds(running.pids) - before) * 1000) / count;
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] as number;
  const load = `${count} times, ${bytes.toLocaleString('en')} bytes each`;
  return [
    { name: `${name}: p50`, value: at(0.5), unit: 'ms', load },
    { name: `${name}: p99`, value: at(0.99), unit: 'ms', load },
    { name: `${name}: processor`, value: spent, unit: 'ms each', load: 'of the server, all threads' },
  ];
}
