import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure';
import { growLog } from './large-log/grow-log';
import { call, start, type Running } from './running-cluster';

/** Sizes of the logs, in events; others by KUBEREEL_BENCH_EVENTS=100000,5000000. */
const sizesDefault = [100_000, 1_000_000];
const cli = join(__dirname, '..', 'dist', 'apps', 'cli', 'src', 'main.js');
const lookEveryMs = 50;

/**
 * What a log of a given size costs: its bytes, a start from nothing and from a snapshot, an answer out of its middle, `why`, `verify`. The logs
 * are grown first, by the real controllers in virtual time: that takes longest.
 */
export async function benchScaling(scale: number): Promise<Figure[]> {
  const given = process.env.KUBEREEL_BENCH_EVENTS?.split(',').map(Number);
  const figures: Figure[] = [];
  for (const events of given ?? sizesDefault.map((size) => Math.round(size * scale))) figures.push(...(await benchSize(events)));
  return figures;
}

async function benchSize(wanted: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-bench-'));
  try {
    const { events, bytes } = await growLog(folder, wanted);
    const name = `${Math.round(events / 1_000)} k events`;
    const load = '24 nodes, about 1,000 pods at a time';
    const figures: Figure[] = [
      { name: `${name}: log`, value: bytes / events, unit: 'bytes/event', load: `${(bytes / 1e6).toFixed(0)} MB, ${load}` },
    ];
    // Before any start: what `up` writes is not among what is measured.
    figures.push(await timed(`${name}: verify`, ['verify', '--data', folder]));
    figures.push(await timed(`${name}: why`, ['why', 'deploy/team-3/app-2', '--data', folder]));
    figures.push(...(await started(name, folder)));
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function started(name: string, folder: string): Promise<Figure[]> {
  const first = await start([], folder);
  const head = JSON.parse((await call(first, 'GET', '/api/v1/namespaces')).body) as { metadata: { resourceVersion: string } };
  const middle = Math.floor(Number(head.metadata.resourceVersion) / 2);
  const began = performance.now();
  const answer = await call(first, 'GET', `/at/${middle}/api/v1/pods`);
  const atMs = performance.now() - began;
  if (answer.code !== 200) throw new Error(`/at/${middle}: ${answer.code} ${answer.body.slice(0, 200)}`);
  const memory = peakMb(first.child.pid as number);
  await leave(first);
  const second = await start([], folder);
  await leave(second);
  return [
    { name: `${name}: start, no snapshot`, value: first.startMs, unit: 'ms', load: `to the first answered list; ${memory} MB at most` },
    { name: `${name}: start, snapshot`, value: second.startMs, unit: 'ms', load: 'the same, after a stop' },
    { name: `${name}: /at/MIDDLE, first answer`, value: atMs, unit: 'ms', load: 'a list of all pods, right after the start' },
  ];
}

/** Stops it; its folder stays. */
async function leave({ agent, child }: Running): Promise<void> {
  agent.destroy();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** Runs a command to its end. */
function timed(name: string, args: string[]): Promise<Figure> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let memory = 0;
    const child = execFile(process.execPath, [cli, ...args], { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      clearInterval(looking);
      const seconds = (performance.now() - began) / 1000;
      // `verify` may have something to say of a log; a command that could not be run says nothing.
      if (error && stdout === '') reject(new Error(stderr));
      else resolve({ name, value: seconds, unit: 's', load: `${memory} MB at most` });
    });
    const looking = setInterval(() => (memory = Math.max(memory, peakMb(child.pid as number))), lookEveryMs);
  });
}

/** The most memory that a process has had so far; 0 where that cannot be read. */
function peakMb(pid: number): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
