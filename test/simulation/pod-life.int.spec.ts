import { expect, it } from 'vitest';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import type { RecordedEvent } from '#libs/event-log';

/** Payloads and metadata of one pod's events, from the request to its end. */
const bytesMax = 5_200;

it('a pod that is created, runs and is deleted leaves few events and few bytes', async () => {
  const cluster = await SimulatedCluster.create({ nodes: { count: 3, cpu: '4', memory: '8Gi', pods: 110, zones: 3 } });
  await cluster.executive.runFor(60_000);
  const before = cluster.state.position;
  const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } }];
  const object = { metadata: { name: 'web', namespace: 'default' }, spec: { containers } } as never;
  await cluster.writeAndSettle({ verb: 'create', resource: 'pods', namespace: 'default', object });
  await cluster.executive.runFor(60_000);
  await cluster.writeAndSettle({ verb: 'delete', target: { resource: 'pods', namespace: 'default', name: 'web' } });
  await cluster.executive.runFor(60_000);
  const events: RecordedEvent[] = [];
  for await (const page of cluster.log.readAll({
    from: before + 1,
    filter: { streamPrefixes: ['local.pods-', 'local.admission-reviews'] },
  }))
    events.push(...page);
  await cluster.close();
  expect(events.map(({ type }) => type)).toEqual([
    'PodAdmissionRequested',
    'PodAdmitted',
    'Created',
    'PodScheduled',
    'PodAcceptedByKubelet',
    'ContainerStarted',
    'PodBecameReady',
    'DeletionRequested',
    'ContainersStopping',
    'ContainerExited',
    'PodTerminated',
    'DeletionRequested',
    'Deleted',
  ]);
  const bytes = events.reduce((sum, { data, metadata }) => sum + JSON.stringify(data).length + JSON.stringify(metadata).length, 0);
  expect(bytes).toBeLessThan(bytesMax);
});
