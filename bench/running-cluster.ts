import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Running {
  child: ChildProcess;
  folder: string;
  url: URL;
  ca: Buffer;
  token: string;
  agent: Agent;
  /** From spawning the process to the first answered list, ms. */
  startMs: number;
  pids: number[];
  /** What runs in each of them. */
  names: Map<number, string>;
}

const ownTree = join(__dirname, '..');
export const inFlightMax = 64;

/**
 * @param folder a data folder that is there already; a new one when absent
 * @param msMax how long it may take
 * @param tree a checkout that has been built; this one when absent
 */
export async function start(
  flags: string[],
  folder = mkdtempSync(join(tmpdir(), 'kubereel-bench-')),
  msMax?: number,
  tree = ownTree,
): Promise<Running> {
  const readyFile = join(folder, 'ready.json');
  rmSync(readyFile, { force: true });
  const began = performance.now();
  const child = fork(
    join(tree, 'dist', 'apps', 'cli', 'src', 'main.js'),
    ['up', '--data', folder, '--port', '0', '--ready-file', readyFile, ...flags],
    {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  const ready = await poll(() => {
    if (child.exitCode !== null) throw new Error(`kubereel up ended with ${child.exitCode}`);
    return JSON.parse(readFileSync(readyFile, 'utf8')) as { url: string; kubeconfig: string; apps: Record<string, number> };
  }, msMax);
  const config = parse(readFileSync(ready.kubeconfig, 'utf8')) as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: { token: string } }[];
  };
  const ca = Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64');
  const pids = [...new Set([child.pid as number, ...Object.values(ready.apps)])];
  const names = new Map(Object.entries(ready.apps).map(([name, pid]) => [pid, name]));
  names.set(child.pid as number, 'up');
  const running: Running = {
    child,
    folder,
    url: new URL(ready.url),
    ca,
    token: config.users[0]?.user.token ?? '',
    agent: new Agent({ keepAlive: true, maxSockets: inFlightMax, ca }),
    startMs: 0,
    pids,
    names,
  };
  await call(running, 'GET', '/api/v1/namespaces');
  running.startMs = performance.now() - began;
  await poll(async () =>
    (await call(running, 'GET', '/api/v1/namespaces/default/serviceaccounts/default')).code === 200 ? true : undefined,
  );
  return running;
}

export async function stop(running: Running): Promise<void> {
  running.agent.destroy();
  const ended = new Promise((resolve) => running.child.once('exit', resolve));
  running.child.kill('SIGTERM');
  await ended;
  rmSync(running.folder, { recursive: true, force: true });
}

export async function poll<T>(attempt: () => T | undefined | Promise<T | undefined>, msMax = 120_000): Promise<T> {
  const deadline = performance.now() + msMax;
  for (;;) {
    try {
      const found = await attempt();
      if (found !== undefined) return found;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
    }
    if (performance.now() > deadline) throw new Error(`no progress within ${msMax / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** @param asked headers beside those that every request has; a type of content other than JSON's is one */
export function call(
  running: Running,
  method: string,
  path: string,
  body?: unknown,
  asked: Readonly<Record<string, string>> = {},
): Promise<{ code: number; body: string }> {
  const { url, agent, token } = running;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    ...asked,
  };
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

/** Counts pods as a watch shows them bound, or with whatever else is to be in a frame. */
export function countBound(
  running: Running,
  wanted: (name: string) => boolean,
  mark = '"nodeName":"',
): { done: (count: number) => Promise<void>; close: () => void } {
  const bound = new Set<string>();
  let notify: () => void = () => undefined;
  const { url, agent: _agent, token, ca } = running;
  const watch = request(
    { ca, host: url.hostname, port: url.port, path: '/api/v1/pods?watch=1', headers: { authorization: `Bearer ${token}` } },
    (response) => {
      let rest = '';
      response.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const name = /"name":"([^"]+)"/.exec(line)?.[1];
          if (name && wanted(name) && line.includes(mark)) bound.add(name);
        }
        notify();
      });
    },
  );
  watch.on('error', () => undefined);
  watch.end();
  return {
    done: (count) => new Promise((resolve) => (notify = () => bound.size >= count && resolve())),
    close: () => watch.destroy(),
  };
}

export function pod(name: string, cpu: string, priorityClassName?: string): object {
  const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu, memory: '64Mi' } } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'bench' } },
    spec: { containers, terminationGracePeriodSeconds: 0, ...(priorityClassName ? { priorityClassName } : {}) },
  };
}

export async function createAll(running: Running, pods: object[]): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: inFlightMax }, async () => {
    for (let i = next++; i < pods.length; i = next++) {
      const { code, body } = await call(running, 'POST', '/api/v1/namespaces/default/pods', pods[i]);
      if (code !== 201) throw new Error(`create answered ${code}: ${body}`);
    }
  });
  await Promise.all(workers);
}

export function residentMb(pids: readonly number[]): number {
  const kb = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0));
  return kb.reduce((sum, value) => sum + value, 0) / 1024;
}

/** Processor time of all threads that there are; the clock's ticks in `stat` are too long for what a few requests take. */
export function cpuSeconds(pids: readonly number[]): number {
  let ns = 0;
  for (const pid of pids)
    for (const thread of readdirSync(`/proc/${pid}/task`))
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return ns / 1e9;
}

export async function readyNodes(running: Running): Promise<number> {
  const { items } = JSON.parse((await call(running, 'GET', '/api/v1/nodes')).body) as {
    items: { spec: { taints?: unknown[] }; status: { conditions?: { type: string; status: string }[] } }[];
  };
  return items.filter(
    ({ spec, status }) =>
      !spec.taints?.length && status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
  ).length;
}
