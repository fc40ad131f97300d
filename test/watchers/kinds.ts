// The kinds that are written and watched: what they consist of, how they change, and by what they are selected.
import type { Stored } from './history';
import type { Random } from './random';

export interface Selection {
  query: string;
  matches: (object: Stored) => boolean;
}

export interface WatchedKind {
  /** Where it is served, each place another version of it: writes go to any of them. */
  roots: readonly string[];
  resource: string;
  kind: string;
  namespaced: boolean;
  names: number;
  /** A new object without kind and metadata, for one of the places. */
  content: (random: Random, root: string) => Record<string, unknown>;
  /** A merge patch. */
  change: (random: Random, root: string) => Record<string, unknown>;
  /** Of the status. */
  status?: (random: Random, root: string) => Record<string, unknown>;
  isScalable?: boolean;
  /** Needs the apps that review it. */
  isReviewed?: boolean;
  isBound?: boolean;
  selections: readonly Selection[];
}

export const tiers = ['gold', 'gold', 'tin', null] as const;
const core = '/api/v1';

const everything: Selection = { query: '', matches: () => true };
const labelled: readonly Selection[] = [
  everything,
  everything,
  { query: 'labelSelector=tier%3Dgold', matches: ({ metadata }) => metadata.labels?.['tier'] === 'gold' },
  { query: 'labelSelector=tier%21%3Dgold', matches: ({ metadata }) => metadata.labels?.['tier'] !== 'gold' },
  { query: 'labelSelector=%21tier', matches: ({ metadata }) => metadata.labels?.['tier'] === undefined },
  { query: 'labelSelector=tier+in+(gold,tin)', matches: ({ metadata }) => metadata.labels?.['tier'] !== undefined },
  { query: 'fieldSelector=metadata.name%3Dx3', matches: ({ metadata }) => metadata.name === 'x3' },
  {
    query: 'labelSelector=tier&fieldSelector=metadata.namespace%21%3Ddefault',
    matches: ({ metadata }) => metadata.labels?.['tier'] !== undefined && metadata.namespace !== 'default',
  },
];

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const autoscaling = { v1: '/apis/autoscaling/v1', v2: '/apis/autoscaling/v2' };
const utilization = (averageUtilization: number): object[] => [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } },
];
const scaling = (random: Random, root: string): Record<string, unknown> => {
  const percent = 10 + random.below(3);
  const metrics = root === autoscaling.v1 ? { targetCPUUtilizationPercentage: percent } : { metrics: utilization(percent) };
  return { minReplicas: 1 + random.below(2), maxReplicas: 2 + random.below(3), ...metrics };
};
const eventsRoots = { core, group: '/apis/events.k8s.io/v1' };
const regarding = { kind: 'Pod', name: 'p', namespace: 'default' };

export const watchedKinds: readonly WatchedKind[] = [
  {
    roots: [core],
    resource: 'configmaps',
    kind: 'ConfigMap',
    namespaced: true,
    names: 25,
    content: (random) => ({ data: { n: String(random.below(3)) } }),
    change: (random) => ({ data: { n: String(random.below(3)), m: random.oneIn(2) ? null : 'é\u2028"<' } }),
    selections: labelled,
  },
  {
    roots: [core],
    resource: 'secrets',
    kind: 'Secret',
    namespaced: true,
    names: 10,
    content: (random) => ({ type: random.pick(['Opaque', 'example.org/a']), stringData: { n: String(random.below(3)) } }),
    change: (random) => ({ stringData: { n: String(random.below(3)) } }),
    selections: [
      ...labelled,
      { query: 'fieldSelector=type%3DOpaque', matches: (secret) => (secret as { type?: string }).type === 'Opaque' },
    ],
  },
  {
    roots: [core],
    resource: 'nodes',
    kind: 'Node',
    namespaced: false,
    names: 10,
    content: (random) => ({ spec: { unschedulable: random.oneIn(2) } }),
    change: (random) => ({ spec: { unschedulable: random.oneIn(2) } }),
    status: (random) => ({ conditions: [{ type: 'Ready', status: random.pick(['True', 'False']) }] }),
    selections: [
      everything,
      { query: 'fieldSelector=spec.unschedulable%3Dtrue', matches: ({ spec }) => spec?.['unschedulable'] === true },
      { query: 'fieldSelector=spec.unschedulable%21%3Dtrue', matches: ({ spec }) => spec?.['unschedulable'] !== true },
      { query: 'labelSelector=tier+notin+(gold)', matches: ({ metadata }) => metadata.labels?.['tier'] !== 'gold' },
    ],
  },
  {
    roots: ['/apis/apps/v1'],
    resource: 'deployments',
    kind: 'Deployment',
    namespaced: true,
    names: 8,
    content: (random) => ({ spec: { replicas: random.below(3), selector: { matchLabels: { app: 'a' } }, template } }),
    change: (random) => ({ spec: { replicas: random.below(3), paused: random.oneIn(2) } }),
    status: (random) => ({ replicas: random.below(3), observedGeneration: random.below(3) }),
    isScalable: true,
    selections: labelled,
  },
  {
    roots: [autoscaling.v2, autoscaling.v1],
    resource: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    namespaced: true,
    names: 8,
    content: (random, root) => ({ spec: { ...scaling(random, root), scaleTargetRef: target } }),
    change: (random, root) => ({ spec: scaling(random, root) }),
    status: (random) => ({ currentReplicas: random.below(3), desiredReplicas: random.below(3) }),
    selections: labelled,
  },
  {
    roots: [eventsRoots.core, eventsRoots.group],
    resource: 'events',
    kind: 'Event',
    namespaced: true,
    names: 10,
    content: (random, root) =>
      root === core
        ? { involvedObject: regarding, reason: random.pick(['Red', 'Blue']), message: 'm', type: 'Normal' }
        : {
            eventTime: '2026-01-01T00:00:00.000000Z',
            regarding,
            reason: random.pick(['Red', 'Blue']),
            action: 'a',
            type: 'Normal',
            reportingController: 'x.io/c',
            reportingInstance: 'i',
          },
    change: (random, root) =>
      root === core
        ? { count: random.below(3) }
        : { series: random.oneIn(2) ? null : { count: 2 + random.below(3), lastObservedTime: '2026-01-01T00:00:00.000000Z' } },
    selections: [
      everything,
      { query: 'fieldSelector=reason%3DRed', matches: (event) => (event as { reason?: string }).reason === 'Red' },
      { query: 'labelSelector=tier%3Dgold', matches: ({ metadata }) => metadata.labels?.['tier'] === 'gold' },
    ],
  },
  {
    roots: [core],
    resource: 'pods',
    kind: 'Pod',
    namespaced: true,
    names: 12,
    content: () => ({ spec: { containers: [{ name: 'c', image: 'i' }] } }),
    change: (random) => ({ metadata: { annotations: { n: String(random.below(3)) } } }),
    status: (random) => ({ phase: random.pick(['Pending', 'Running', 'Succeeded']) }),
    isReviewed: true,
    isBound: true,
    selections: [
      ...labelled,
      { query: 'fieldSelector=spec.nodeName%3Dn1', matches: ({ spec }) => spec?.['nodeName'] === 'n1' },
      { query: 'fieldSelector=spec.nodeName%3D', matches: ({ spec }) => (spec?.['nodeName'] ?? '') === '' },
      { query: 'fieldSelector=status.phase%3DRunning', matches: ({ status }) => status?.['phase'] === 'Running' },
      {
        query: 'fieldSelector=status.phase%21%3DSucceeded,status.phase%21%3DFailed',
        matches: ({ status }) => !['Succeeded', 'Failed'].includes(String(status?.['phase'])),
      },
    ],
  },
];
