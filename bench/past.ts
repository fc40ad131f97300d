import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '#libs/event-log';
import { chanceOf } from '#libs/kernel';
import { logFolderOf } from '../apps/cli/src/up/data-folder';
import type { Figure } from './figure';
import { growLog } from './large-log/grow-log';
import { call, cpuSeconds, residentMb, start, stop, type Running } from './running-cluster';

const eventsCount = 100_000;
/** Moments asked about. */
const moments = 32;
/** How often somebody who wants little asks meanwhile, ms. */
const lookEveryMs = 5;

/**
 * The past of a log that a cluster of 1,000 pods has written: random moments of it, at once after each kind of start and later; watches from
 * long ago. KUBEREEL_BENCH_LOG names a data folder of `npm run large-log` to measure instead of one made for it. Times are by the wall, at the
 * client, the answer read whole.
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

type Note = (name: string, value: number, unit: string) => void;

async function measure(data: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  let load = '';
  const note: Note = (name, value, unit) => void figures.push({ name: `past: ${name}`, value, unit, load });
  const begin = async (): Promise<{ running: Running; head: number }> => {
    const running = await start([], data);
    const { resourceVersion } = JSON.parse((await call(running, 'GET', '/api/v1/namespaces?limit=1')).body).metadata;
    const head = Number(resourceVersion);
    load = `${Math.round(head / 16 / 1000)}k events`;
    return { running, head };
  };

  let { running, head } = await begin();
  note('start, nothing there: everything folded', running.startMs, 'ms');
  await atMoments(running, head, 'pods at once after it', '/api/v1/pods', note);
  const kept = await whileItIsKept(running);
  note('all of it kept after', kept.waitedMs / 1000, 's');
  note('longest answer meanwhile', kept.worstMs, 'ms');
  note('memory then', residentMb(running.pids), 'MB');
  await leave(running);
  const bytesOf = (file: string): number => statSync(join(data, file)).size;
  note('bytes kept a byte of the log', bytesOf('snapshots/past.sqlite') / bytesOf('log/log.sqlite'), '');

  ({ running, head } = await begin());
  note('start from a snapshot, all kept', running.startMs, 'ms');
  await atMoments(running, head, 'pods, all kept', '/api/v1/pods', note);
  await atMoments(running, head, 'events, all kept', '/api/v1/events', note);
  await atMoments(running, head, 'one node, all kept', '/api/v1/nodes/node-3', note);
  await beforeEvents(running, data, note);
  for (const back of [0.9, 0.1]) {
    const watched = await watch(running, Math.round(head * (1 - back)));
    note(`watch of pods from ${back * 100} % back, first change`, watched.firstMs, 'ms');
    note('the same, changes a second', watched.frames / (watched.lastMs / 1000), '/s');
  }
  note('memory after it', residentMb(running.pids), 'MB');
  await leave(running);

  for (const name of readdirSync(join(data, 'snapshots'))) if (name.startsWith('past')) rmSync(join(data, 'snapshots', name));
  ({ running, head } = await begin());
  note('start from a snapshot, nothing kept', running.startMs, 'ms');
  await atMoments(running, head, 'pods at once after it, nothing kept', '/api/v1/pods', note);
  await stop(running);
  return figures;
}

/** Random moments, each asked about for the first time, and again at once. */
async function atMoments(running: Running, head: number, what: string, path: string, note: Note): Promise<void> {
  const chance = chanceOf('bench', what);
  const [cold, warm]: [number[], number[]] = [[], []];
  const looking = looksOf(running);
  const before = cpuSeconds(running.pids);
  for (let i = 0; i < moments; i++) {
    const at = `/at/${1 + chance.index(head, String(i))}${path}`;
    cold.push(await timed(running, at));
    warm.push(await timed(running, at));
  }
  const cpuMs = ((cpuSeconds(running.pids) - before) * 1000) / moments;
  const worstMs = await looking.worst();
  note(`${what}, both, processor time`, cpuMs, 'ms');
  for (const [which, times] of [
    ['cold', cold],
    ['warm', warm],
  ] as const) {
    times.sort((a, b) => a - b);
    note(`${what}, ${which}, p50`, times[moments >> 1] as number, 'ms');
    note(`${what}, ${which}, p99`, times[moments - 1] as number, 'ms');
  }
  note(`${what}, longest answer to others`, worstMs, 'ms');
}

/** The moment before an event that is known by its id. */
async function beforeEvents(running: Running, data: string, note: Note): Promise<void> {
  const ids: string[] = [];
  const log = await openEmbeddedLog({ folder: logFolderOf(data), readOnly: true });
  const last = (await log.head()) ?? 0;
  for (let i = 0; i < moments; i++)
    for await (const [event] of log.readAll({ from: Math.floor((last * i) / moments), limit: 1 })) ids.push(event?.id ?? '');
  await log.close();
  const times: number[] = [];
  for (const id of ids) times.push(await timed(running, `/at/before:${id}/api/v1/namespaces/default`, [200, 404]));
  times.sort((a, b) => a - b);
  note('the moment before an event, p50', times[times.length >> 1] as number, 'ms');
  note('the moment before an event, p99', times[times.length - 1] as number, 'ms');
}

/** Stops it; its folder stays. */
async function leave(running: Running): Promise<void> {
  running.agent.destroy();
  const ended = new Promise((resolve) => running.child.once('exit', resolve));
  running.child.kill('SIGTERM');
  await ended;
}

/** Waits until what the log had has been read and kept. */
async function whileItIsKept(running: Running): Promise<{ waitedMs: number; worstMs: number }> {
  const began = performance.now();
  const looking = looksOf(running);
  for (let last = '', same = 0; same < 30;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const size = sizesOf(running);
    same = size === last ? same + 1 : 0;
    last = size;
  }
  return { waitedMs: performance.now() - began - 3_000, worstMs: await looking.worst() };
}

/** Asks for something small again and again: how long the slowest answer took is the longest pause of the server, and a little more. */
function looksOf(running: Running): { worst(): Promise<number> } {
  let worstMs = 0;
  let isOver = false;
  const looks = (async () => {
    while (!isOver) {
      worstMs = Math.max(worstMs, await timed(running, '/api/v1/namespaces/default'));
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  })();
  const worst = async (): Promise<number> => {
    isOver = true;
    await looks;
    return worstMs;
  };
  return { worst };
}

async function timed(running: Running, path: string, expected = [200]): Promise<number> {
  const began = performance.now();
  const { code, body } = await call(running, 'GET', path);
  if (!expected.includes(code)) throw new Error(`${path} answered ${code}: ${body.slice(0, 200)}`);
  return performance.now() - began;
}

function sizesOf({ folder }: Running): string {
  return ['', '-wal'].map((suffix) => statSync(join(folder, `snapshots/past.sqlite${suffix}`), { throwIfNoEntry: false })?.mtimeMs).join();
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
