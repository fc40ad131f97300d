import { readFileSync } from 'node:fs';
import type { Figure } from './figure';
import {
  countBound,
  cpuSeconds,
  createAll,
  inFlightMax,
  call,
  pod,
  poll,
  readyNodes,
  residentMb,
  start,
  stop,
  type Running,
} from './running-cluster';

const nodes = 100;
const podsMax = 1_000;

/** Each app a process of its own, beside all in one: what a pod costs from its creation until it runs, start, memory. */
export async function benchSplit(scale: number): Promise<Figure[]> {
  const count = Math.round(podsMax * scale);
  return [...(await measure('one process', [], count)), ...(await measure('split', ['--split'], count))];
}

async function measure(name: string, flags: string[], count: number): Promise<Figure[]> {
  const began = performance.now();
  const running = await start(['--nodes', `${nodes},cpu=64,memory=256Gi,pods=1000`, ...flags]);
  try {
    const bound = countBound(running, (podName) => podName === 'first');
    const firstBound = bound.done(1);
    await createAll(running, [pod('first', '10m')]);
    await firstBound;
    const firstMs = performance.now() - began;
    bound.close();
    await poll(async () => ((await readyNodes(running)) >= nodes ? true : undefined));
    const start = cpuSeconds(running.pids);
    const load = `${nodes} nodes, new data folder`;
    const figures: Figure[] = [
      { name: `${name}: start to first answered list`, value: running.startMs, unit: 'ms', load },
      { name: `${name}: start to first pod bound`, value: firstMs, unit: 'ms', load },
      { name: `${name}: processor time of the start`, value: start * 1000, unit: 'ms', load: `${load}, until all nodes are ready` },
    ];
    for (const prefix of ['just started', 'warm']) {
      const before = running.pids.map((pid) => cpuSeconds([pid]));
      const seconds = await runAll(running, prefix.replace(' ', '-'), count);
      const spent = running.pids.map((pid, i) => ((cpuSeconds([pid]) - (before[i] as number)) * 1000) / count);
      const each = running.pids.map((pid, i) => `${running.names.get(pid)} ${(spent[i] as number).toFixed(2)}`).join(', ');
      figures.push({
        name: `${name}: processor time a pod, ${prefix}`,
        value: spent.reduce((a, b) => a + b, 0),
        unit: 'ms',
        load: `${count} pods created until they run, ${inFlightMax} in flight; ${each}`,
      });
      figures.push({
        name: `${name}: pods created until they run, ${prefix}`,
        value: count / seconds,
        unit: 'pods/s',
        load: `${count} pods`,
      });
    }
    const kb = running.pids.map(proportionalKb);
    const each = running.pids.map((pid, i) => `${running.names.get(pid)} ${Math.round((kb[i] as number) / 1024)}`).join(', ');
    figures.push({
      name: `${name}: memory, shared pages shared out (PSS)`,
      value: kb.reduce((a, b) => a + b, 0) / 1024,
      unit: 'MB',
      load: `${2 * count} pods; ${each}`,
    });
    figures.push({ name: `${name}: memory, resident (RSS)`, value: residentMb(running.pids), unit: 'MB', load: `${2 * count} pods` });
    return figures;
  } finally {
    await stop(running);
  }
}

/** Seconds until all pods run. */
async function runAll(running: Running, prefix: string, count: number): Promise<number> {
  const counter = countBound(running, (name) => name.startsWith(`${prefix}-`), '"phase":"Running"');
  const began = performance.now();
  const all = counter.done(count);
  await createAll(
    running,
    Array.from({ length: count }, (_, i) => pod(`${prefix}-${i}`, '10m')),
  );
  await all;
  counter.close();
  // The answer to a read comes from a fold that has passed everything before it: nothing of the load is left under way.
  await call(running, 'GET', '/api/v1/namespaces');
  return (performance.now() - began) / 1000;
}

function proportionalKb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
}
