import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Figure } from './figure';

interface Running {
  child: ChildProcess;
  folder: string;
  url: URL;
  ca: Buffer;
  token: string;
  agent: Agent;
  /** From spawning the process to the first answered list, ms. */
  startMs: number;
  pids: number[];
}

const cli = join(__dirname, '..', 'apps', 'cli', 'src', 'main.js');
const inFlightMax = 64;

/** The whole cluster through its API, as a client sees it: a process of its own (or several), TLS, the durable log. */
export async function benchControlPlane(scale: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  figures.push(...(await startAndIdle()));
  for (const [nodes, pods] of [
    [100, 2_000],
    [1_000, 2_000],
  ] as const) {
    figures.push(...(await createdToBound(nodes, Math.round(pods * scale), [])));
    figures.push(...(await createdToBound(nodes, Math.round((pods / 2) * scale), ['--split'])));
  }
  figures.push(await preemptions(100, Math.round(200 * scale)));
  return figures;
}

async function start(flags: string[]): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-bench-'));
  const readyFile = join(folder, 'ready.json');
  const began = performance.now();
  const child = fork(cli, ['up', '--data', folder, '--port', '0', '--ready-file', readyFile, ...flags], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ready = await poll(() => {
    if (child.exitCode !== null) throw new Error(`kubereel up ended with ${child.exitCode}`);
    return JSON.parse(readFileSync(readyFile, 'utf8')) as { url: string; kubeconfig: string; apps: Record<string, number> };
  });
  const config = parse(readFileSync(ready.kubeconfig, 'utf8')) as { clusters: { cluster: Record<string, string> }[]; users: { user: { token: string } }[] };
  const ca = Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64');
  const running: Running = {
    child,
    folder,
    url: new URL(ready.url),
    ca,
    token: config.users[0]?.user.token ?? '',
    agent: new Agent({ keepAlive: true, maxSockets: inFlightMax, ca }),
    startMs: 0,
    pids: [...new Set([child.pid as number, ...Object.values(ready.apps)])],
  };
  await call(running, 'GET', '/api/v1/namespaces');
  running.startMs = performance.now() - began;
  await poll(async () => ((await call(running, 'GET', '/api/v1/namespaces/default/serviceaccounts/default')).code === 200 ? true : undefined));
  return running;
}

async function stop(running: Running): Promise<void> {
  running.agent.destroy();
  const ended = new Promise((resolve) => running.child.once('exit', resolve));
  running.child.kill('SIGTERM');
  await ended;
  rmSync(running.folder, { recursive: true, force: true });
}

async function poll<T>(attempt: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    try {
      const found = await attempt();
      if (found !== undefined) return found;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
    }
    if (performance.now() > deadline) throw new Error('no progress within 120 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function call(running: Running, method: string, path: string, body?: unknown): Promise<{ code: number; body: string }> {
  const { url, agent, token } = running;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = { authorization: `Bearer ${token}`, ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }) };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: url.hostname, port: url.port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

/** Counts pods as a watch shows them bound. */
function countBound(running: Running, wanted: (name: string) => boolean): { done: (count: number) => Promise<void>; close: () => void } {
  const bound = new Set<string>();
  let notify: () => void = () => undefined;
  const { url, agent: _agent, token, ca } = running;
  const watch = request({ ca, host: url.hostname, port: url.port, path: '/api/v1/pods?watch=1', headers: { authorization: `Bearer ${token}` } }, (response) => {
    let rest = '';
    response.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const name = /"name":"([^"]+)"/.exec(line)?.[1];
        if (name && wanted(name) && line.includes('"nodeName":"')) bound.add(name);
      }
      notify();
    });
  });
  watch.on('error', () => undefined);
  watch.end();
  return {
    done: (count) => new Promise((resolve) => (notify = () => bound.size >= count && resolve())),
    close: () => watch.destroy(),
  };
}

function pod(name: string, cpu: string, priorityClassName?: string): object {
  const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu, memory: '64Mi' } } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'bench' } }, spec: { containers, terminationGracePeriodSeconds: 0, ...(priorityClassName ? { priorityClassName } : {}) } };
}

async function createAll(running: Running, pods: object[]): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: inFlightMax }, async () => {
    for (let i = next++; i < pods.length; i = next++) {
      const { code, body } = await call(running, 'POST', '/api/v1/namespaces/default/pods', pods[i]);
      if (code !== 201) throw new Error(`create answered ${code}: ${body}`);
    }
  });
  await Promise.all(workers);
}

async function startAndIdle(): Promise<Figure[]> {
  const times: number[] = [];
  const processor: number[] = [];
  let memory = 0;
  for (let i = 0; i < 5; i++) {
    const running = await start([]);
    times.push(running.startMs);
    processor.push(cpuSeconds(running.pids) * 1000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    memory = residentMb(running.pids);
    await stop(running);
  }
  times.sort((a, b) => a - b);
  processor.sort((a, b) => a - b);
  const spent = Math.round(processor[2] as number);
  return [
    { name: 'start to first answered list', value: times[2] as number, unit: 'ms', load: `one process, new data folder, median of 5; ${spent} ms processor time` },
    { name: 'idle memory', value: memory, unit: 'MB', load: 'one process, three nodes' },
  ];
}

function residentMb(pids: readonly number[]): number {
  const kb = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0));
  return kb.reduce((sum, value) => sum + value, 0) / 1024;
}

function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) / 100;
  }, 0);
}

/** The load twice on one cluster: by a server that has just started, whose code is not compiled yet, and by one that has run. */
async function createdToBound(nodes: number, count: number, flags: string[]): Promise<Figure[]> {
  const running = await start(['--nodes', `${nodes},cpu=64,memory=256Gi,pods=1000`, ...flags]);
  try {
    await poll(async () => ((await readyNodes(running)) >= nodes ? true : undefined));
    const name = `pods created→bound, ${nodes} nodes${flags.length > 0 ? ', split' : ''}`;
    const first = await bindAll(running, 'first', count);
    const next = await bindAll(running, 'next', count);
    return [
      { ...first, name: `${name}, just started` },
      { ...next, name },
    ];
  } finally {
    await stop(running);
  }
}

async function bindAll(running: Running, prefix: string, count: number): Promise<Omit<Figure, 'name'>> {
  const counter = countBound(running, (name) => name.startsWith(`${prefix}-`));
  const cpuBefore = cpuSeconds(running.pids);
  const began = performance.now();
  const allBound = counter.done(count);
  await createAll(running, Array.from({ length: count }, (_, i) => pod(`${prefix}-${i}`, '10m')));
  await allBound;
  const seconds = (performance.now() - began) / 1000;
  const cpu = ((cpuSeconds(running.pids) - cpuBefore) * 1000) / count;
  counter.close();
  return { value: count / seconds, unit: 'pods/s', load: `${count} pods, ${inFlightMax} in flight, ${cpu.toFixed(2)} ms processor time a pod` };
}

async function readyNodes(running: Running): Promise<number> {
  const { items } = JSON.parse((await call(running, 'GET', '/api/v1/nodes')).body) as { items: { spec: { taints?: unknown[] }; status: { conditions?: { type: string; status: string }[] } }[] };
  return items.filter(({ spec, status }) => !spec.taints?.length && status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')).length;
}

async function preemptions(nodes: number, count: number): Promise<Figure> {
  const running = await start(['--nodes', `${nodes},cpu=4,memory=64Gi,pods=110`]);
  try {
    await poll(async () => ((await readyNodes(running)) >= nodes ? true : undefined));
    await call(running, 'POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 });
    const low = countBound(running, (name) => name.startsWith('low-'));
    const filled = low.done(nodes * 4);
    await createAll(running, Array.from({ length: nodes * 4 }, (_, i) => pod(`low-${i}`, '1')));
    await filled;
    low.close();
    const high = countBound(running, (name) => name.startsWith('high-'));
    const cpuBefore = cpuSeconds(running.pids);
    const began = performance.now();
    const allBound = high.done(count);
    await createAll(running, Array.from({ length: count }, (_, i) => pod(`high-${i}`, '1', 'high')));
    await allBound;
    const seconds = (performance.now() - began) / 1000;
    const cpu = ((cpuSeconds(running.pids) - cpuBefore) * 1000) / count;
    high.close();
    return { name: 'preemptions', value: count / seconds, unit: 'preemptions/s', load: `${count} on ${nodes} full nodes, ${cpu.toFixed(2)} ms processor time each` };
  } finally {
    await stop(running);
  }
}
