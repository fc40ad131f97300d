import { ClusterState, foldLog } from '#libs/cluster-state';
import { createMemoryLog } from '#libs/event-log';
import { fact, type Fact } from '#libs/events';
import { stamp } from '#libs/control-loop';
import { median, type Figure } from './figure';

const podsCount = 20_000;
const runs = 5;

/** Events folded a second: pods created, bound, started and deleted, from memory. */
export async function benchFold(): Promise<Figure[]> {
  const log = createMemoryLog();
  const time = Date.parse('2026-01-01T00:00:00Z');
  let events = 0;
  for (let i = 0; i < podsCount; i++) {
    const stream = `local.pods-default/p-${i}`;
    let follows: string | undefined;
    let revision = -1;
    for (const facts of lifeOf(i)) {
      const stamped = stamp({
        stream,
        frames: [facts],
        origin: { actor: 'bench', operation: `${i}/${revision}`, correlationId: 'c' },
        writer: 'bench',
        time,
        follows,
        label: '0',
      });
      follows = stamped[stamped.length - 1]?.metadata.digest as string;
      await log.append(stream, stamped, revision < 0 ? 'no_stream' : revision);
      revision += stamped.length;
      events += stamped.length;
    }
  }
  await foldLog(log, 'local');
  const times: number[] = [];
  let state = new ClusterState('local');
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    state = await foldLog(log, 'local');
    times.push((performance.now() - began) / 1000);
  }
  const seconds = median(times);
  return [
    {
      name: 'events folded from memory',
      value: events / seconds,
      unit: 'events/s',
      load: `${events} events, ${[...state.list('pods')].length} pods left, median of ${runs}`,
    },
  ];
}

function lifeOf(i: number): Fact[][] {
  const object = {
    metadata: {
      name: `p-${i}`,
      namespace: 'default',
      uid: `u-${i}`,
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: `a-${i % 50}` },
    },
    spec: {
      containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
      restartPolicy: 'Always',
      priority: 0,
    },
    status: { phase: 'Pending', qosClass: 'Burstable' },
  };
  const life: Fact[][] = [
    [fact('Created', { object: object as never })],
    [fact('PodScheduled', { node: `node-${i % 100}` })],
    [fact('PodAcceptedByKubelet', { node: `node-${i % 100}`, hostIP: '10.0.0.1' })],
    [
      fact('ContainerStarted', {
        container: 'c',
        image: 'app:1',
        imageID: 'app@sha256:1',
        containerID: `containerd://${i}`,
        podIP: '10.1.0.1',
      }),
      fact('PodBecameReady', {}),
    ],
    [
      fact('Updated', { patch: [{ op: 'add', path: '/metadata/annotations', value: { note: `${i}` } }] }),
      fact('StatusUpdated', { patch: [{ op: 'add', path: '/status/message', value: `n-${i}` }] }),
    ],
  ];
  if (i % 2 === 0)
    life.push(
      [fact('DeletionRequested', { deletionTimestamp: '2026-01-01T00:01:00Z', gracePeriodSeconds: 30, generation: 2 })],
      [fact('Deleted', {})],
    );
  return life;
}
