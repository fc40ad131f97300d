import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openEmbeddedLog, type EventLog } from '#libs/event-log';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import type { Figure } from '../figure';
import { DayLife, dayMs } from './day-life';
import { sharesOf } from './shares';

const nodesCount = 1_000;
const minutesADay = dayMs / 60_000;

/**
 * A day, or more (KUBEREEL_BENCH_DAYS=7), of a cluster of 1,000 nodes and about 5,000 pods in virtual time: the whole control plane of one process
 * over the log that `up` keeps. Memory is that of this process, in which nothing else may have run. KUBEREEL_BENCH_TYPES=1 also counts events by
 * type; KUBEREEL_BENCH_PROFILE=1 also tells which parts of the program took how much of the time, which itself takes some.
 */
export async function benchDay(scale: number): Promise<Figure[]> {
  const days = Number(process.env.KUBEREEL_BENCH_DAYS ?? 1);
  const nodes = Math.round(nodesCount * scale);
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-day-'));
  try {
    return await live(folder, nodes, days);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function live(folder: string, nodes: number, days: number): Promise<Figure[]> {
  const log = await openEmbeddedLog({ folder });
  const counted = countOf(log);
  const began = measure();
  const cluster = await SimulatedCluster.create({ nodes: { count: nodes, cpu: '8', memory: '32Gi', pods: 110 }, log });
  const life = new DayLife(cluster, nodes, 'day');
  await life.begin();
  const figures: Figure[] = [];
  const pods = (): number => [...cluster.state.list('pods')].length;
  figures.push(spent('start of the cluster', began, `${nodes} nodes, ${pods()} pods, ${counted.events} events`));
  for (let day = 0; day < days; day++) {
    const [before, at, bytesBefore] = [measure(), counted.events, bytesOf(folder)];
    const wholeDay = async (): Promise<void> => {
      for (let minute = 0; minute < minutesADay; minute++) await life.minute(day * minutesADay + minute);
    };
    const parts = process.env.KUBEREEL_BENCH_PROFILE ? await sharesOf(wholeDay) : await wholeDay();
    const events = counted.events - at;
    const name = `day ${day + 1}`;
    const { rollouts, scalings, failures } = life.did;
    figures.push(
      spent(name, before, `${pods()} pods; so far ${rollouts} rollouts, ${scalings} scalings, ${failures} node failures`),
      { name: `${name}: events`, value: events, unit: 'events', load: `${(events / nodes).toFixed(1)} a node` },
      { name: `${name}: log`, value: (bytesOf(folder) - bytesBefore) / nodes, unit: 'bytes/node', load: 'what the file grows by' },
      { name: `${name}: heap at its end`, value: heapMb(), unit: 'MB', load: 'after garbage collection' },
      { name: `${name}: peak memory`, value: process.resourceUsage().maxRSS / 1024, unit: 'MB', load: 'resident, of the process so far' },
      ...(parts ?? []).filter(({ percent }) => percent >= 1).map(({ part, percent }) => shareOf(`${name}: ${part}`, percent)),
    );
  }
  if (process.env.KUBEREEL_BENCH_TYPES) console.log(counted.types);
  await cluster.close();
  await log.close();
  return figures;
}

function shareOf(name: string, percent: number): Figure {
  return { name, value: percent, unit: '%', load: 'of the time, with what Node does for it' };
}

interface Moment {
  at: number;
  cpu: NodeJS.CpuUsage;
}

function measure(): Moment {
  return { at: performance.now(), cpu: process.cpuUsage() };
}

function spent(name: string, before: Moment, load: string): Figure {
  const { user, system } = process.cpuUsage(before.cpu);
  const seconds = (performance.now() - before.at) / 1000;
  return { name, value: seconds, unit: 's', load: `${((user + system) / 1e6).toFixed(1)} s of processor time; ${load}` };
}

/** Counts what is appended from now on. */
function countOf(log: EventLog): { events: number; types: Record<string, number> } {
  const counted = { events: 0, types: {} as Record<string, number> };
  const events = (batch: readonly { type: string }[]): void => {
    counted.events += batch.length;
    for (const { type } of batch) counted.types[type] = (counted.types[type] ?? 0) + 1;
  };
  log.subscribe({ after: 'start' }, { events, caughtUp: () => undefined, failed: () => undefined });
  return counted;
}

function bytesOf(folder: string): number {
  return statSync(join(folder, 'log.sqlite')).size;
}

function heapMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
