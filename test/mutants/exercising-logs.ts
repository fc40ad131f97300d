import { foldLog, LogTree, readAppends, restoreSnapshot, takeSnapshot, type ClusterState } from '#libs/cluster-state';
import { forkLog } from '#libs/control-loop';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';
import { SimulatedCluster, type SimulationOptions } from '../../apps/cli/src/simulation/simulated-cluster';
import { isFirstOfAppend } from '#libs/events';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import { nodeManifest } from '../../apps/cli/src/simulation/nodes';
import { deafTo, lowPriorityFirst, oneAddress } from './breaking-controllers';
import { livesOfContainers } from './kubelet-log';
import { eventsIn } from './stored-log';
import { withWebhooks } from './webhook-log';

/** Each has what some mutants are about. */
const makers = {
  /** Pods of two priorities wait for the same room; three victims go for one pod. */
  preemptions: () => played(contention),
  /** A Deployment, a Service, a budget, and every verb of a user. */
  workloads: () => played(everyVerb),
  /** Webhooks that change, refuse, and are not reached. */
  webhooks: () => played(withWebhooks),
  /** Containers that fail in every way, a node short of memory. */
  kubelets: () => played(livesOfContainers),
  /** The same as `preemptions`, by control planes that break a rule each. */
  'low priority first': () => played(contention, lowPriorityFirst),
  'deaf to one pod': () => played(contention, deafTo('late')),
  'one address': () => played(contention, oneAddress),
  /** Up to the middle that of `preemptions`; from there on lived otherwise. */
  'a fork': forked,
  /** A cluster resumed from a snapshot in which a node is larger than in the log. */
  'an edited snapshot': resumedFromEdited,
};

export type LogName = keyof typeof makers;

const made = new Map<LogName, Promise<readonly RecordedEvent[]>>();

/** The events of a log; it is made once. */
export function exercisingLog(name: LogName): Promise<readonly RecordedEvent[]> {
  let events = made.get(name);
  if (!events) made.set(name, (events = makers[name]()));
  return events;
}

const nodes = { count: 3, cpu: '4', memory: '8Gi', pods: 110 };

async function forked(): Promise<readonly RecordedEvent[]> {
  const parent = await lived(contention);
  const original = await eventsIn(parent);
  const { position, metadata } = original.slice(original.length >> 1).find((event) => isFirstOfAppend(event.metadata)) as RecordedEvent;
  const log = await forkLog({ parent, cluster: 'local', position, own: createMemoryLog() });
  const cluster = await SimulatedCluster.create({ seed: 'fork', log, startTime: (metadata.time as number) + 1_000, writer: 'fork' });
  for (let i = 0; i < 12; i++) await cluster.writeAndSettle(create('pods', pod(`other-${i}`, '100m'), 'default'));
  return eventsIn(await ended(cluster));
}

async function resumedFromEdited(): Promise<readonly RecordedEvent[]> {
  const first = await SimulatedCluster.create({ seed: 'mutants', nodes });
  await first.executive.runFor(5_000);
  const { log, clock, runtime } = first;
  await runtime.stop();
  await first.close();
  const state = await foldLog(log, 'local');
  const node = state.get('nodes', undefined, 'node-1') as KubeObject;
  const larger = { cpu: '40', memory: '8Gi', pods: '110' };
  state.restore('nodes', '/node-1', { ...node, status: { ...node.status, capacity: larger, allocatable: larger } });
  const from = { state: restoreSnapshot('local', takeSnapshot(state)) as ClusterState, tree: await treeOf(log) };
  const cluster = await SimulatedCluster.create({ seed: 'mutants', log, from, startTime: clock.now(), writer: 'again' });
  await cluster.writeAndSettle(create('pods', pod('large', '10'), 'default'));
  return eventsIn(await ended(cluster));
}

async function treeOf(log: EventLog): Promise<LogTree> {
  const tree = new LogTree();
  for await (const page of readAppends(log, 'local')) for (const append of page) tree.take(append);
  return tree;
}

async function ended(cluster: SimulatedCluster): Promise<EventLog> {
  await cluster.executive.runFor(60_000);
  await cluster.runtime.stop();
  await cluster.close();
  return cluster.log;
}

async function played(...how: Parameters<typeof lived>): Promise<readonly RecordedEvent[]> {
  return eventsIn(await lived(...how));
}

async function lived(play: (cluster: SimulatedCluster) => Promise<void>, standIn?: SimulationOptions['standIn']): Promise<EventLog> {
  const cluster = await SimulatedCluster.create({ seed: 'mutants', nodes, standIn });
  await play(cluster);
  return ended(cluster);
}

export function pod(name: string, cpu: string, more: JsonObject = {}): KubeObject {
  const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }];
  return { metadata: { name }, spec: { containers, ...more } } as unknown as KubeObject;
}

function create(resource: string, object: KubeObject, namespace?: string): WriteRequest {
  return { verb: 'create', resource, namespace, object };
}

function priorityClass(name: string, value: number): WriteRequest {
  return create('priorityclasses.scheduling.k8s.io', { metadata: { name }, value } as unknown as KubeObject);
}

async function contention(cluster: SimulatedCluster): Promise<void> {
  await cluster.writeAndSettle(priorityClass('low', 100));
  await cluster.writeAndSettle(priorityClass('high', 1_000));
  for (let i = 0; i < 12; i++) {
    await cluster.writeAndSettle(create('pods', pod(`low-${i}`, '1', { priorityClassName: 'low' }), 'default'));
  }
  await cluster.executive.runFor(5_000);
  // Side by side, so that both wait when the queue is asked for the next one.
  const waiting = [
    cluster.write(create('pods', pod('late', '1', { priorityClassName: 'low' }), 'default')),
    cluster.write(create('pods', pod('big', '3', { priorityClassName: 'high' }), 'default')),
    cluster.write(create('pods', pod('small', '1', { priorityClassName: 'high' }), 'default')),
  ];
  await cluster.executive.settle();
  await Promise.all(waiting);
  await cluster.executive.runFor(90_000);
  await cluster.writeAndSettle({ verb: 'delete', target: { resource: 'pods', namespace: 'default', name: 'small' } });
  // No node is large enough for either, until one comes that is large enough for one: both are in the queue then.
  await cluster.writeAndSettle(create('pods', pod('huge-low', '10', { priorityClassName: 'low' }), 'default'));
  await cluster.writeAndSettle(create('pods', pod('huge-high', '10', { priorityClassName: 'high' }), 'default'));
  await cluster.executive.runFor(30_000);
  await cluster.writeAndSettle(create('nodes', nodeManifest('node-4', 3, { count: 1, cpu: '12', memory: '8Gi', pods: 110 })));
  await cluster.executive.runFor(60_000);
}

const template = { metadata: { labels: { app: 'web' } }, spec: pod('', '100m').spec };

async function everyVerb(cluster: SimulatedCluster): Promise<void> {
  const target = (resource: string, name: string) => ({ resource, namespace: 'default', name });
  const deployment = { metadata: { name: 'web' }, spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template } };
  await cluster.writeAndSettle(create('deployments.apps', deployment as unknown as KubeObject, 'default'));
  const service = { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } };
  await cluster.writeAndSettle(create('services', service as unknown as KubeObject, 'default'));
  const other = { metadata: { name: 'other' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } };
  await cluster.writeAndSettle(create('services', other as unknown as KubeObject, 'default'));
  const budget = { metadata: { name: 'web' }, spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } } };
  await cluster.writeAndSettle(create('poddisruptionbudgets.policy', budget as unknown as KubeObject, 'default'));
  await cluster.executive.runFor(10_000);
  const settings = { metadata: { name: 'settings', finalizers: ['example.com/hold'] }, data: { a: '1' } };
  await cluster.writeAndSettle(create('configmaps', settings as unknown as KubeObject, 'default'));
  await cluster.writeAndSettle({
    verb: 'patch',
    target: target('configmaps', 'settings'),
    patchType: 'merge',
    patch: { data: { b: '2' } },
  });
  const stored = cluster.state.get('configmaps', 'default', 'settings') as KubeObject;
  await cluster.writeAndSettle({ verb: 'update', target: target('configmaps', 'settings'), object: { ...stored, data: { c: '3' } } });
  await cluster.writeAndSettle({ verb: 'delete', target: target('configmaps', 'settings') });
  await cluster.writeAndSettle({
    verb: 'patch',
    target: target('configmaps', 'settings'),
    patchType: 'merge',
    patch: { metadata: { finalizers: null } },
  });
  await cluster.writeAndSettle({
    verb: 'patch',
    target: target('deployments.apps', 'web'),
    patchType: 'merge',
    patch: { spec: { replicas: 4 } },
  });
  await cluster.executive.runFor(10_000);
  await cluster.writeAndSettle(create('pods', pod('own', '100m', { terminationGracePeriodSeconds: 20 }), 'default'));
  await cluster.writeAndSettle(create('pods', pod('bound', '100m', { schedulerName: 'nobody' }), 'default'));
  await cluster.writeAndSettle({ verb: 'bind', target: target('pods', 'bound'), node: 'node-2' });
  await cluster.executive.runFor(5_000);
  const victim = [...cluster.state.list('pods', 'default')].find(({ metadata }) => metadata.labels?.app === 'web') as KubeObject;
  await cluster.writeAndSettle({ verb: 'evict', target: target('pods', victim.metadata.name) });
  const refused = [...cluster.state.list('pods', 'default')].filter(
    ({ metadata }) => metadata.labels?.app === 'web' && !metadata.deletionTimestamp,
  );
  for (const { metadata } of refused) await cluster.writeAndSettle({ verb: 'evict', target: target('pods', metadata.name) });
  await cluster.executive.runFor(40_000);
  await cluster.writeAndSettle({ verb: 'delete', target: target('pods', 'own') });
  await cluster.writeAndSettle({
    verb: 'patch',
    target: target('deployments.apps', 'web'),
    patchType: 'merge',
    patch: { spec: { template: { spec: { containers: [{ name: 'c', image: 'app:2' }] } } } },
  });
  await cluster.executive.runFor(60_000);
  const nodeStatus = cluster.state.get('nodes', undefined, 'node-3') as KubeObject;
  await cluster.writeAndSettle({
    verb: 'update',
    target: { resource: 'nodes', name: 'node-3' },
    subresource: 'status',
    object: { ...nodeStatus, status: { ...nodeStatus.status, nodeInfo: { ...nodeStatus.status?.nodeInfo, osImage: 'edited' } } },
  });
  await cluster.executive.runFor(30_000);
  // Bound to no node, it goes at once.
  await cluster.writeAndSettle(create('pods', pod('brief', '100m', { schedulerName: 'nobody' }), 'default'));
  await cluster.writeAndSettle({ verb: 'delete', target: target('pods', 'brief') });
}
