import { median, type Figure } from './figure';
import {
  call,
  countBound,
  cpuSeconds,
  createAll,
  inFlightMax,
  pod,
  poll,
  readyNodes,
  residentMb,
  start,
  stop,
  type Running,
} from './running-cluster';

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
  const spent = Math.round(median(processor));
  return [
    {
      name: 'start to first answered list',
      value: median(times),
      unit: 'ms',
      load: `one process, new data folder, median of 5; ${spent} ms processor time`,
    },
    { name: 'idle memory', value: memory, unit: 'MB', load: 'one process, three nodes' },
  ];
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
  await createAll(
    running,
    Array.from({ length: count }, (_, i) => pod(`${prefix}-${i}`, '10m')),
  );
  await allBound;
  const seconds = (performance.now() - began) / 1000;
  const cpu = ((cpuSeconds(running.pids) - cpuBefore) * 1000) / count;
  counter.close();
  return {
    value: count / seconds,
    unit: 'pods/s',
    load: `${count} pods, ${inFlightMax} in flight, ${cpu.toFixed(2)} ms processor time a pod`,
  };
}

/** @param flags of `up`; @param place said of the figure: where the log is kept. */
export async function preemptions(nodes: number, count: number, flags: string[] = [], place = ''): Promise<Figure> {
  const running = await start(['--nodes', `${nodes},cpu=4,memory=64Gi,pods=110`, ...flags]);
  try {
    await poll(async () => ((await readyNodes(running)) >= nodes ? true : undefined));
    await call(running, 'POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 1000,
    });
    const low = countBound(running, (name) => name.startsWith('low-'));
    const filled = low.done(nodes * 4);
    await createAll(
      running,
      Array.from({ length: nodes * 4 }, (_, i) => pod(`low-${i}`, '1')),
    );
    await filled;
    low.close();
    const high = countBound(running, (name) => name.startsWith('high-'));
    const cpuBefore = cpuSeconds(running.pids);
    const began = performance.now();
    const allBound = high.done(count);
    await createAll(
      running,
      Array.from({ length: count }, (_, i) => pod(`high-${i}`, '1', 'high')),
    );
    await allBound;
    const seconds = (performance.now() - began) / 1000;
    const cpu = ((cpuSeconds(running.pids) - cpuBefore) * 1000) / count;
    high.close();
    return {
      name: `preemptions${place}`,
      value: count / seconds,
      unit: 'preemptions/s',
      load: `${count} on ${nodes} full nodes, ${cpu.toFixed(2)} ms processor time each`,
    };
  } finally {
    await stop(running);
  }
}
