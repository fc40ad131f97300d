import type { Figure } from './figure';
import { pacedLoad, type PacedRequest } from './paced-load';
import { cpuSeconds, pod, start, stop, type Running } from './running-cluster';

const namespace = '/api/v1/namespaces/default';
const configMap = (i: number, n: string): object => ({ metadata: { name: `m${i}` }, data: { n } });
const mergePatch = { 'content-type': 'application/merge-patch+json' };

interface Work {
  readonly name: string;
  /** Requests of one turn. */
  readonly count: number;
  request(i: number): PacedRequest;
}

/** Each on what those before have left. */
const works: readonly Work[] = [
  { name: 'create of a pod', count: 250, request: (i) => ({ method: 'POST', path: `${namespace}/pods`, body: pod(`p${i}`, '10m') }) },
  {
    name: 'create of a config map',
    count: 300,
    request: (i) => ({ method: 'POST', path: `${namespace}/configmaps`, body: configMap(i, 'one') }),
  },
  {
    name: 'update of a config map',
    count: 300,
    request: (i) => ({ method: 'PUT', path: `${namespace}/configmaps/m${i}`, body: configMap(i, 'two') }),
  },
  {
    name: 'merge patch of a config map',
    count: 300,
    request: (i) => ({ method: 'PATCH', path: `${namespace}/configmaps/m${i}`, body: { data: { n: 'three' } }, headers: mergePatch }),
  },
  { name: 'deletion of a config map', count: 300, request: (i) => ({ method: 'DELETE', path: `${namespace}/configmaps/m${i}` }) },
  { name: 'get of a pod', count: 400, request: () => ({ method: 'GET', path: `${namespace}/pods/p1` }) },
  { name: 'list of all pods', count: 5, request: () => ({ method: 'GET', path: `${namespace}/pods` }) },
];

const turns = 15;
/** The engine has compiled by then what is measured. */
const warmUpTurns = 5;
const ratePerSecond = 600;
/** The cheapest part of the turns counts: what makes one dearer than another is mostly somebody else on the machine. */
const countedPart = 0.6;
/** Until what a write sets off in controllers is over, ms. */
const quietMs = 250;

/**
 * Two builds on one machine, each with its own cluster, asked the same by turns: whoever else wants the processors disturbs both alike.
 * `KUBEREEL_BENCH_OTHER`: the folder of the other checkout, built.
 */
export async function benchByTurns(scale: number): Promise<Figure[]> {
  const other = process.env['KUBEREEL_BENCH_OTHER'];
  if (!other) throw new Error('KUBEREEL_BENCH_OTHER names the folder of the build to compare with');
  const flags = ['--nodes', '0', '--apps', 'apiserver,priority-admission,controller-manager'];
  const builds = [await start(flags), await start(flags, undefined, undefined, other)];
  try {
    const figures: Figure[] = [];
    for (const work of works) figures.push(...(await compared(builds, { ...work, count: Math.max(1, Math.round(work.count * scale)) })));
    return figures;
  } finally {
    for (const build of builds) await stop(build);
  }
}

async function compared(builds: readonly Running[], { name, count, request }: Work): Promise<Figure[]> {
  const spent = builds.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    const order = turn % 2 === 0 ? [0, 1] : [1, 0];
    for (const which of order) {
      const build = builds[which] as Running;
      const requests = Array.from({ length: count }, (_, i) => request(turn * count + i));
      const before = cpuSeconds(build.pids);
      await pacedLoad(build, requests, ratePerSecond);
      await new Promise((resolve) => setTimeout(resolve, quietMs));
      if (turn >= warmUpTurns) spent[which]?.push(((cpuSeconds(build.pids) - before) * 1000) / count);
    }
  }
  const [own = NaN, others = NaN] = spent.map(cheapest);
  const load = `${turns - warmUpTurns} turns of ${count}, processor of all threads`;
  return [
    { name: `${name}: this build`, value: own, unit: 'ms each', load },
    { name: `${name}: the other`, value: others, unit: 'ms each', load },
    { name: `${name}: this / other`, value: own / others, unit: '', load },
  ];
}

function cheapest(values: readonly number[]): number {
  const counted = [...values].sort((a, b) => a - b).slice(0, Math.ceil(values.length * countedPart));
  return counted.reduce((sum, value) => sum + value, 0) / counted.length;
}
