import fc from 'fast-check';
import type { KubeObject } from '#libs/kernel';
import type { Cluster, PodParts } from './cluster.fixture';
import { makeNode, makeObject, makePod } from './cluster.fixture';

const apps = ['web', 'db', 'cache'] as const;
const keys = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'] as const;

const cpu = fc.integer({ min: 1, max: 20 }).map((hundreds) => `${hundreds * 100}m`);
const priority = fc.constantFrom(0, 0, 10, 100, 1000);
const app = fc.constantFrom(...apps);
const topologyKey = fc.constantFrom(...keys);

const term = fc.record({ labelSelector: app.map((value) => ({ matchLabels: { app: value } })), topologyKey });
const affinity = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: term.map((one) => ({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [one] } })) },
  { weight: 2, arbitrary: term.map((one) => ({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [one] } })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ weight: fc.integer({ min: 1, max: 100 }), podAffinityTerm: term })
      .map((one) => ({ podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [one] } })),
  },
);
const spread = fc.option(
  fc
    .record({
      maxSkew: fc.integer({ min: 1, max: 2 }),
      topologyKey,
      whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
      labelSelector: app.map((value) => ({ matchLabels: { app: value } })),
      nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
    })
    .map((constraint) => [constraint]),
  { nil: undefined, freq: 3 },
);
const tolerations = fc.boolean().map((flag) => (flag ? [{ key: 'dedicated', operator: 'Exists' }] : undefined));

export const anyPodParts: fc.Arbitrary<PodParts & { priority: number }> = fc.record({
  cpu,
  priority,
  labels: app.map((value) => ({ app: value })),
  affinity,
  topologySpreadConstraints: spread,
  tolerations,
  hostPort: fc.option(fc.constantFrom(8080, 9090), { nil: undefined, freq: 3 }),
});

export interface AnyNode {
  zone: string | undefined;
  cpu: string;
  pods: string;
  tainted: { key: string; value: string; effect: string }[] | undefined;
  cordoned: boolean;
}

export const anyNode: fc.Arbitrary<AnyNode> = fc.record({
  zone: fc.constantFrom('a', 'b', undefined),
  cpu: fc.constantFrom('2', '4'),
  pods: fc.constantFrom('3', '110'),
  tainted: fc.boolean().map((flag) => (flag ? [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] : undefined)),
  cordoned: fc.constantFrom(false, false, false, true),
});

export function nodeFrom(name: string, parts: AnyNode): KubeObject {
  const { zone, cpu: amount, pods, tainted, cordoned } = parts;
  return makeNode(name, {
    cpu: amount,
    pods,
    taints: tainted,
    unschedulable: cordoned,
    labels: zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone },
  });
}

/** Small clusters with everything that makes decisions differ; placed pods need not fit where they are. */
export const anyCluster: fc.Arbitrary<Cluster> = fc
  .record({
    nodes: fc.array(anyNode, { minLength: 1, maxLength: 6 }),
    pods: fc.array(fc.record({ parts: anyPodParts, node: fc.nat({ max: 5 }), started: fc.nat({ max: 1000 }) }), { maxLength: 16 }),
    budgets: fc.array(fc.record({ selected: app, allowed: fc.nat({ max: 2 }) }), { maxLength: 2 }),
  })
  .map(({ nodes, pods, budgets }) => ({
    nodes: nodes.map((parts, i) => nodeFrom(`node-${i}`, parts)),
    pods: pods.map(({ parts, node, started }, i) => {
      // Of two pods with one port on one node it would depend on history whether the port is free once one has gone, as upstream.
      const hostPort = i === 0 ? parts.hostPort : undefined;
      const startTime = new Date(Date.parse('2025-12-31T00:00:00Z') + (started * 100 + i) * 1000).toISOString();
      return makePod(`p-${i}`, { ...parts, hostPort, nodeName: `node-${node % nodes.length}`, startTime });
    }),
    objects: {
      poddisruptionbudgets: budgets.map(({ selected, allowed }, i) =>
        makeObject(
          'PodDisruptionBudget',
          `b-${i}`,
          { spec: { selector: { matchLabels: { app: selected } } }, status: { disruptionsAllowed: allowed } },
          'default',
        ),
      ),
    },
  }));

export const anyPendingPod: fc.Arbitrary<KubeObject> = fc
  .record({ parts: anyPodParts, name: fc.constant('pending') })
  .map(({ parts, name }) => makePod(name, { ...parts, priority: parts.priority + 5 }));
