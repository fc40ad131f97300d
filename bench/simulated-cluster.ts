import { SimulatedCluster } from '../apps/cli/src/simulation/simulated-cluster';
import type { Figure } from './figure';

interface Load {
  readonly name: string;
  readonly nodes: number;
  /** Pods of low priority that are there first; a node takes four. */
  readonly low: number;
  /** Pods that are measured, from the first request until all are bound. */
  readonly pods: number;
  readonly pod: (i: number) => object;
}

/** Virtual time in which everything has to be bound. */
const patienceMs = 3_600_000;

/** Every controller of the control plane over the log in memory and in virtual time, without HTTP: processor time alone counts. */
export async function benchSimulatedCluster(scale: number, only?: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  // Compiled code is what a running cluster runs.
  const [warmUp] = loads(1);
  if (warmUp) for (let i = 0; i < 2; i++) await run(warmUp);
  for (const load of loads(scale)) {
    if (only !== undefined && load.name !== only) continue;
    figures.push(await run(load));
  }
  return figures;
}

function loads(scale: number): Load[] {
  const pods = Math.round(2_000 * scale);
  const spread = {
    topologySpreadConstraints: [
      {
        maxSkew: 5,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'bench' } },
      },
    ],
  };
  const apart = {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'bench' } } },
        ],
      },
    },
  };
  const storm = Math.round(5_000 * scale);
  return [
    ...[100, 1_000, 5_000].map((nodes) => ({
      name: `basic, ${nodes} nodes`,
      nodes,
      low: 0,
      pods,
      pod: (i: number) => pod(`p-${i}`, '10m'),
    })),
    ...[100, 1_000].map((nodes) => ({
      name: `spread, ${nodes} nodes`,
      nodes,
      low: 0,
      pods,
      pod: (i: number) => pod(`p-${i}`, '10m', 0, spread),
    })),
    { name: 'anti-affinity, 1000 nodes', nodes: 1_000, low: 0, pods: 1_000, pod: (i) => pod(`p-${i}`, '10m', 0, apart) },
    { name: 'preemption, 100 nodes', nodes: 100, low: 400, pods: Math.round(200 * scale), pod: (i) => pod(`high-${i}`, '1', 1_000) },
    { name: 'preemption, 1000 nodes', nodes: 1_000, low: 4_000, pods: 1_000, pod: (i) => pod(`high-${i}`, '1', 1_000) },
    { name: `storm, ${storm} nodes`, nodes: storm, low: storm * 4, pods: storm, pod: (i) => pod(`high-${i}`, '1', 1_000) },
  ];
}

function pod(name: string, cpu: string, priority = 0, more: object = {}): object {
  return {
    metadata: { name, namespace: 'default', labels: { app: 'bench' } },
    spec: {
      containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu, memory: '64Mi' } } }],
      ...(priority > 0 ? { priorityClassName: 'high' } : {}),
      ...more,
    },
  };
}

async function run({ name, nodes, low, pods, pod: podOf }: Load): Promise<Figure> {
  const cluster = await SimulatedCluster.create({ nodes: { count: nodes, cpu: '4', memory: '64Gi', pods: 1_000, zones: 3 } });
  await cluster.executive.runFor(2_000);
  await cluster.writeAndSettle({
    verb: 'create',
    resource: 'priorityclasses.scheduling.k8s.io',
    object: { metadata: { name: 'high' }, value: 1_000 } as never,
  });
  await create(
    cluster,
    Array.from({ length: low }, (_unused, i) => pod(`low-${i}`, '1')),
  );
  await cluster.executive.runFor(10_000);
  const began = process.cpuUsage();
  const at = performance.now();
  await create(
    cluster,
    Array.from({ length: pods }, (_unused, i) => podOf(i)),
  );
  const until = cluster.clock.now() + patienceMs;
  while (bound(cluster) < pods && cluster.clock.now() < until) await cluster.executive.runFor(1_000);
  const seconds = (performance.now() - at) / 1000;
  const { user, system } = process.cpuUsage(began);
  const left = pods - bound(cluster);
  await cluster.close();
  return {
    name: `cluster: ${name}`,
    value: (user + system) / 1000 / pods,
    unit: low > 0 ? 'ms cpu/preempt.' : 'ms cpu/pod',
    load: `${pods} pods${low > 0 ? ` on ${nodes} nodes full of ${low}` : ''}, ${seconds.toFixed(1)} s${left > 0 ? `, ${left} NOT BOUND` : ''}`,
  };
}

/** All requests at once, as a client without a limit would send them. */
async function create(cluster: SimulatedCluster, objects: object[]): Promise<void> {
  const writes = objects.map((object) =>
    cluster.write({ verb: 'create', resource: 'pods', namespace: 'default', object: object as never }),
  );
  await cluster.executive.settle();
  for (const answer of await Promise.all(writes)) if (answer.kind !== 'written') throw new Error(`pod refused: ${JSON.stringify(answer)}`);
}

/** Of the pods that are measured, by what only they have. */
function bound({ state }: SimulatedCluster): number {
  let count = 0;
  for (const { metadata, spec } of state.list('pods')) if (spec.nodeName && !metadata.name.startsWith('low-')) count++;
  return count;
}
