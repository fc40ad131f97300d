import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure';
import { growLog } from './large-log/grow-log';
import { call, cpuSeconds, residentMb, start, stop, type Running } from './running-cluster';

const eventsCount = 100_000;
/** Moments asked about. */
const moments = 24;

/**
 * The past of a log that a cluster of 1,000 pods has written: starts, moments drawn from all of it, watches from long ago.
 * KUBEREEL_BENCH_LOG names a data folder of `npm run large-log` to measure instead of one made for it. Processor time is the server's.
 */
export async function benchPast(scale: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-past-'));
  const data = join(folder, 'data');
  try {
    const given = process.env.KUBEREEL_BENCH_LOG;
    if (given) cpSync(given, data, { recursive: true });
    else await growLog(data, Math.round(eventsCount * scale));
    return await measure(data);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(data: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  let running = await start([], data);
  const { resourceVersion } = JSON.parse((await call(running, 'GET', '/api/v1/namespaces?limit=1')).body).metadata;
  const head = Number(resourceVersion);
  const load = `${Math.round(head / 16 / 1000)}k events`;
  const note = (name: string, value: number, unit: string): void => void figures.push({ name, value, unit, load });
  note('past: first start, everything folded', running.startMs, 'ms');
  const { waitedMs, worstMs } = await whileItIsKept(running);
  note('past: kept from then on, after', waitedMs / 1000, 's');
  note('past: longest answer meanwhile', worstMs, 'ms');
  await stopKeeping(running);
  note(
    'past: bytes kept a byte of the log',
    statSync(join(data, 'snapshots/past.sqlite')).size / statSync(join(data, 'log/log.sqlite')).size,
    '',
  );
  running = await start([], data);
  note('past: start from a snapshot', running.startMs, 'ms');
  for (const [what, path] of [
    ['pods', '/api/v1/pods'],
    ['events', '/api/v1/events'],
    ['one node', '/api/v1/nodes/node-3'],
  ] as const) {
    const places = Array.from({ length: moments }, (_, i) => 16 * Math.ceil(((head / 16) * ((i + 1) * 0.618)) % (head / 16)));
    const cold = await ask(
      running,
      places.map((place) => `/at/${place}${path}`),
    );
    const warm = await ask(
      running,
      places.slice(-8).map((place) => `/at/${place}${path}`),
    );
    note(`past: /at ${what}, cold`, cold.ms, 'ms');
    note(`past: /at ${what}, cold, processor time`, cold.cpuMs, 'ms');
    note(`past: /at ${what}, warm, processor time`, warm.cpuMs, 'ms');
  }
  for (const back of [0.9, 0.1]) {
    const watched = await watch(running, Math.round(head * (1 - back)));
    note(`past: watch of pods from ${back * 100} % back, first change`, watched.firstMs, 'ms');
    note(`past: the same, changes a second`, watched.frames / (watched.lastMs / 1000), '/s');
  }
  note('past: memory after it', residentMb(running.pids), 'MB');
  await stop(running);
  return figures;
}

async function stopKeeping(running: Running): Promise<void> {
  running.agent.destroy();
  const ended = new Promise((resolve) => running.child.once('exit', resolve));
  running.child.kill('SIGTERM');
  await ended;
}

/** Asks for something small again and again until what the log had has been read and kept. */
async function whileItIsKept(running: Running): Promise<{ waitedMs: number; worstMs: number }> {
  const began = performance.now();
  let worstMs = 0;
  for (let last = '', same = 0; same < 30;) {
    const asked = performance.now();
    await call(running, 'GET', '/api/v1/namespaces/default');
    worstMs = Math.max(worstMs, performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const size = sizesOf(running);
    same = size === last ? same + 1 : 0;
    last = size;
  }
  return { waitedMs: performance.now() - began - 3_000, worstMs };
}

function sizesOf({ folder }: Running): string {
  return ['', '-wal'].map((suffix) => statSync(join(folder, `snapshots/past.sqlite${suffix}`), { throwIfNoEntry: false })?.mtimeMs).join();
}

/** Median of the times, mean of the processor time. */
async function ask(running: Running, paths: readonly string[]): Promise<{ ms: number; cpuMs: number }> {
  const times: number[] = [];
  const before = cpuSeconds(running.pids);
  for (const path of paths) {
    const began = performance.now();
    const { code, body } = await call(running, 'GET', path);
    if (code !== 200) throw new Error(`${path} answered ${code}: ${body.slice(0, 200)}`);
    times.push(performance.now() - began);
  }
  const cpuMs = ((cpuSeconds(running.pids) - before) * 1000) / paths.length;
  return { ms: times.sort((a, b) => a - b)[times.length >> 1] as number, cpuMs };
}

function watch(running: Running, from: number): Promise<{ firstMs: number; lastMs: number; frames: number }> {
  const { ca, token, url } = running;
  const began = performance.now();
  const path = `/api/v1/pods?watch=1&resourceVersion=${from}&timeoutSeconds=120`;
  return new Promise((resolve, reject) => {
    let [firstMs, lastMs, frames] = [0, 0, 0];
    const sent = request({ ca, host: url.hostname, port: url.port, path, headers: { authorization: `Bearer ${token}` } }, (response) => {
      const quiet = setInterval(() => {
        if (performance.now() - began - lastMs > 3_000) response.destroy();
      }, 500);
      response.on('data', (chunk: Buffer) => {
        lastMs = performance.now() - began;
        if (frames === 0) firstMs = lastMs;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) frames++;
      });
      response.on('close', () => {
        clearInterval(quiet);
        resolve({ firstMs, lastMs, frames });
      });
      response.on('error', () => undefined);
    });
    sent.on('error', reject);
    sent.end();
  });
}
