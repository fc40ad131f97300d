import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, RunningCluster } from '../e2e/running-cluster';
import { runLoad } from './load';
import { Recorder, type Operation } from './recorded-operation';
import { SmallDisk } from './small-disk';
import { StoreProcess } from './store-process';
import { countAnswers, judge, settle, verify, type TortureReport } from './whole-writes';
import { Watcher } from './watcher';

export interface OutageOptions {
  awayMs: number;
  /** `full`: the disk under the data folder has no room; the others are of a store in a process of its own. */
  how: 'killed' | 'frozen' | 'full';
  clients: number;
  seed: number;
  /** Load before the store goes and after it has come back, ms. */
  loadMs: number;
  flags: string[];
  /** Leave the data folder. */
  keep?: boolean;
}

export interface OutageReport extends TortureReport {
  /** From the store's going until `/readyz` said so; undefined: it never did. */
  redAfterMs: number | undefined;
  /** What `/readyz` said then. */
  red: string;
  /** From the store's return until `/readyz` was well again. */
  greenAfterMs: number;
  /** The longest that any client waited for an answer. */
  slowestMs: number;
  /** Messages of the refusals, counted. */
  refusals: Record<string, number>;
  /** What `up` said on its terminal, from the outage on. */
  terminal: string;
}

/** What the cluster writes to, and how that goes and comes back. */
interface Storage {
  folder: string;
  /** Flags of `up`. */
  flags: string[];
  /** Flags of `verify`. */
  place: string[];
  goAway(): void;
  comeBack(): void | Promise<void>;
  remove(): void | Promise<void>;
}

/** Room on the small disk, MB. */
const diskMb = 96;
/** The outage goes on for so long at most until it shows. */
const redMsMax = 20_000;
/** How often `/readyz` is asked. */
const askEveryMs = 50;
/** Time given to come back to health once the store is there. */
const recoveryMs = 120_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The store goes away under load and comes back: what the user sees, and whether anything that was acknowledged is missing. */
export async function tortureOutage(options: OutageOptions): Promise<OutageReport> {
  const storage = options.how === 'full' ? smallDisk() : await storeProcess(options.how);
  const { folder } = storage;
  const cluster = await RunningCluster.start(folder, '--nodes', '10', ...storage.flags, ...options.flags);
  try {
    const from = (await cluster.get('/api/v1/pods')).body.metadata.resourceVersion as string;
    const watch = (path: string): Watcher => new Watcher(() => cluster, `/api/v1/namespaces/default/${path}`, from);
    const watchers = { pods: watch('pods'), configmaps: watch('configmaps') };
    const recorder = new Recorder(() => cluster);
    let over = false;
    const load = runLoad(recorder, { ...options, rounds: Infinity, until: () => over });
    await pause(options.loadMs);
    const spoken = cluster.output.length;
    storage.goAway();
    const seen = await watchReadiness(cluster, options.awayMs);
    await storage.comeBack();
    const back = performance.now();
    await eventually('/readyz is well again', async () => (await cluster.get('/readyz')).code === 200, recoveryMs);
    const greenAfterMs = performance.now() - back;
    await pause(options.loadMs);
    over = true;
    await load;
    const problems = await settle(cluster, watchers);
    Object.values(watchers).forEach((watcher) => watcher.close());
    const terminal = cluster.output.slice(spoken).trim();
    await cluster.stop();
    const { operations } = recorder;
    problems.push(...judge(operations, watchers, { troubled: true }));
    const verified = await verify(...storage.place);
    const slowestMs = Math.max(...operations.map(({ tookMs }) => tookMs));
    const answers = countAnswers(operations);
    return {
      ...verified,
      ...seen,
      greenAfterMs,
      slowestMs,
      refusals: refusalsOf(operations),
      terminal,
      operations: operations.length,
      answers,
      problems,
      folder,
    };
  } finally {
    await cluster.stop();
    if (!options.keep) {
      cluster.remove();
      await storage.remove();
    }
  }
}

async function storeProcess(how: 'killed' | 'frozen'): Promise<Storage> {
  const folder = RunningCluster.temporaryFolder();
  const store = await StoreProcess.start(join(folder, 'store'));
  const flags = ['--event-store', store.url];
  return { folder, flags, place: flags, goAway: () => store.goAway(how), comeBack: () => store.comeBack(how), remove: () => store.stop() };
}

function smallDisk(): Storage {
  const disk = SmallDisk.mount(diskMb);
  if (!disk) throw new Error('only root may mount a small disk');
  const folder = join(disk.folder, 'data');
  mkdirSync(folder);
  const place = ['--data', folder];
  return { folder, flags: [], place, goAway: () => disk.fill(), comeBack: () => disk.empty(), remove: () => disk.unmount() };
}

async function watchReadiness(cluster: RunningCluster, forMs: number): Promise<Pick<OutageReport, 'red' | 'redAfterMs'>> {
  const began = performance.now();
  let red = '';
  let redAfterMs: number | undefined;
  for (let passed = 0; passed < forMs || (redAfterMs === undefined && passed < redMsMax); passed = performance.now() - began) {
    const { code, body } = await cluster.get('/readyz');
    if (code !== 200 && redAfterMs === undefined) {
      redAfterMs = performance.now() - began;
      red = String(body)
        .split('\n')
        .filter((line) => line.startsWith('[-]'))
        .join(', ');
    }
    await pause(askEveryMs);
  }
  return { red, redAfterMs };
}

function refusalsOf(operations: readonly Operation[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, body } of operations) {
    if (code > 0 && code < 500) continue;
    const said = code === 0 ? 'no answer' : `${code} ${body?.reason ?? ''}: ${body?.message ?? String(body).slice(0, 100)}`;
    counts[said] = (counts[said] ?? 0) + 1;
  }
  return counts;
}
