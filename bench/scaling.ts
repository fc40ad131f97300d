import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { logFolderOf } from '../apps/cli/src/up/data-folder';
import type { Figure } from './figure';
import { growLog } from './large-log/grow-log';
import { call, cpuSeconds, start, type Running } from './running-cluster';

/** Sizes of the logs, in events; others by KUBEREEL_BENCH_EVENTS=100000,5000000. */
const sizesDefault = [100_000, 1_000_000];
const cli = join(__dirname, '..', 'dist', 'apps', 'cli', 'src', 'main.js');
const lookEveryMs = 50;
/** How long a start may take: it folds the whole log where there is no snapshot. */
const startMsMax = 1_200_000;

/**
 * What a log of a given size costs: its bytes, `verify`, `why`, a start from nothing and from a snapshot, an answer out of its middle. The
 * logs are grown first, by the real controllers in virtual time, which takes longest; KUBEREEL_BENCH_LOG=FOLDER,FOLDER measures data
 * folders of `npm run large-log` instead and leaves them as they are.
 */
export async function benchScaling(scale: number): Promise<Figure[]> {
  const grown = process.env.KUBEREEL_BENCH_LOG?.split(',');
  const given = process.env.KUBEREEL_BENCH_EVENTS?.split(',').map(Number);
  const figures: Figure[] = [];
  const scratch = mkdtempSync(join(tmpdir(), 'kubereel-bench-'));
  try {
    if (grown) {
      for (const folder of grown) figures.push(...(await benchFolder(resolve(folder), scratch)));
      return figures;
    }
    for (const events of given ?? sizesDefault.map((size) => Math.round(size * scale))) {
      const folder = join(scratch, String(events));
      await growLog(folder, events);
      figures.push(...(await benchFolder(folder, scratch)));
      rmSync(folder, { recursive: true });
    }
    return figures;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function benchFolder(folder: string, scratch: string): Promise<Figure[]> {
  const verified = await timed(['verify', '--data', folder, '-o', 'json']);
  const { events, findingCount } = JSON.parse(verified.stdout) as { events: number; findingCount: number };
  const verdict = `exit ${verified.code}, ${findingCount} findings`;
  const told = await timed(['why', 'deploy/team-3/app-2', '--data', folder]);
  const bytes = statSync(join(logFolderOf(folder), 'log.sqlite')).size;
  const name = `${Math.round(events / 1_000)} k events`;
  const load = `${(bytes / 1e6).toFixed(0)} MB; 24 nodes, about 1,000 pods at a time`;
  // What `up` writes is not to be in what was given.
  const copy = join(scratch, 'copy');
  cpSync(folder, copy, { recursive: true });
  try {
    return [
      { name: `${name}: log`, value: bytes / events, unit: 'bytes/event', load },
      { name: `${name}: verify`, value: verified.seconds, unit: 's', load: `${verified.load}; ${verdict}` },
      { name: `${name}: why`, value: told.seconds, unit: 's', load: told.load },
      ...(await started(name, copy)),
    ];
  } finally {
    rmSync(copy, { recursive: true });
  }
}

async function started(name: string, folder: string): Promise<Figure[]> {
  const first = await start([], folder, startMsMax);
  const pid = first.child.pid as number;
  const startLoad = loadText(peakMb(pid), cpuSeconds([pid]));
  const head = JSON.parse((await call(first, 'GET', '/api/v1/namespaces')).body) as { metadata: { resourceVersion: string } };
  const last = Number(head.metadata.resourceVersion);
  const middle = await podsAt(first, Math.floor(last / 2));
  const again = await podsAt(first, Math.floor(last / 2));
  const elsewhere = await podsAt(first, Math.floor(last / 3));
  await leave(first);
  const second = await start([], folder, startMsMax);
  const pidAgain = second.child.pid as number;
  const againLoad = loadText(peakMb(pidAgain), cpuSeconds([pidAgain]));
  await leave(second);
  return [
    { name: `${name}: start, no snapshot`, value: first.startMs, unit: 'ms', load: `to the first answered list; ${startLoad}` },
    { name: `${name}: start, snapshot`, value: second.startMs, unit: 'ms', load: `the same, after a stop; ${againLoad}` },
    { name: `${name}: /at/MIDDLE, first answer`, value: middle, unit: 'ms', load: 'a list of all pods, right after the start' },
    { name: `${name}: /at/MIDDLE, again`, value: again, unit: 'ms', load: 'the same list' },
    { name: `${name}: /at/THIRD, first answer`, value: elsewhere, unit: 'ms', load: 'the list at another instant' },
  ];
}

/** How long the list of all pods as of a position takes, ms. */
async function podsAt(running: Running, position: number): Promise<number> {
  const began = performance.now();
  const { code, body } = await call(running, 'GET', `/at/${position}/api/v1/pods`);
  if (code !== 200) throw new Error(`/at/${position}: ${code} ${body.slice(0, 200)}`);
  return performance.now() - began;
}

/** Stops it; its folder stays. */
async function leave({ agent, child }: Running): Promise<void> {
  agent.destroy();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

interface Timed {
  stdout: string;
  /** Its exit status. */
  code: number;
  seconds: number;
  /** Its memory, and the processor time that it took: as good as the whole of it, looked at every few milliseconds. */
  load: string;
}

/** Runs a command to its end. */
function timed(args: string[]): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let [memory, cpu] = [0, 0];
    const child = execFile(process.execPath, [cli, ...args], { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      clearInterval(looking);
      // `verify` may have something to say of a log; a command that could not be run says nothing.
      if (error && stdout === '') reject(new Error(stderr));
      else resolve({ stdout, code: child.exitCode ?? -1, seconds: (performance.now() - began) / 1000, load: loadText(memory, cpu) });
    });
    const looking = setInterval(() => {
      memory = Math.max(memory, peakMb(child.pid as number));
      try {
        cpu = Math.max(cpu, cpuSeconds([child.pid as number]));
      } catch {
        // It has just ended.
      }
    }, lookEveryMs);
  });
}

function loadText(memoryMb: number, cpu: number): string {
  return `${memoryMb} MB at most, ${cpu.toFixed(cpu < 10 ? 1 : 0)} s of processor time`;
}

/** The most memory that a process has had so far; 0 where that cannot be read. */
function peakMb(pid: number): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
