// Critical pods for which a kubelet makes room.
import { beforeEach, describe, expect, it } from 'vitest';
import { fact, type Fact } from '#libs/events';
import { SimulatedCluster } from '../simulated-cluster.fixture';

let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await SimulatedCluster.start();
  await cluster.node('node-1', { capacity: { cpu: '2', memory: '2Gi', pods: '10' } });
  await cluster.run(0);
});

const critical = 2_000_001_000;
const pod = (
  name: string,
  cpu: string,
  more: { priority?: number; qosClass?: string; annotations?: Record<string, string>; grace?: number } = {},
) =>
  cluster.pod({
    name,
    qosClass: more.qosClass ?? 'Burstable',
    annotations: more.annotations,
    spec: {
      nodeName: 'node-1',
      priority: more.priority ?? 0,
      terminationGracePeriodSeconds: more.grace ?? 30,
      containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu } } }],
    },
  });
const status = (name: string): any => cluster.get(name)?.status;
const proven = async (): Promise<void> => {
  const { differ, notDerivable, differences } = await cluster.verify();
  expect({ differ, notDerivable, differences }).toEqual({ differ: 0, notDerivable: 0, differences: [] });
};

describe('a critical pod on a node that is full', () => {
  it('takes the room of those that leave the least missing, one after the other, and of no more', async () => {
    await pod('small', '500m');
    await pod('middle', '600m');
    await pod('large', '800m');
    await cluster.run(2_000);
    await pod('critical', '1', { priority: critical });
    await cluster.run(10_000);
    expect(status('critical').phase).toBe('Running');
    const ended = ['small', 'middle', 'large'].filter((name) => status(name).phase !== 'Running');
    expect(ended).toEqual(['small', 'large']);
    expect(status('large').conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        reason: 'TerminationByKubelet',
        message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
      }),
    );
    await proven();
  });

  it('waits for the whole grace of who takes no notice; whoever comes meanwhile waits too', async () => {
    await pod('deaf', '1500m', { grace: 5, annotations: { 'kubereel.dev/on-term': 'ignore' } });
    await cluster.run(2_000);
    await pod('critical', '1', { priority: critical });
    await cluster.run(1_000);
    await pod('late', '1100m');
    await cluster.run(3_000);
    expect([status('deaf').phase, status('critical').phase, status('late').phase]).toEqual(['Running', 'Pending', 'Pending']);
    await cluster.run(5_000);
    expect(status('deaf')).toMatchObject({ phase: 'Failed', reason: 'Preempting', message: 'Preempted in order to admit critical pod' });
    expect(status('critical').phase).toBe('Running');
    expect(status('late')).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
    await proven();
  });

  it('is taken all the same when the kubelet is started again while it waits', async () => {
    await pod('deaf', '1500m', { grace: 5, annotations: { 'kubereel.dev/on-term': 'ignore' } });
    await cluster.run(2_000);
    await pod('critical', '1', { priority: critical });
    await cluster.run(1_000);
    await cluster.restart();
    await cluster.run(8_000);
    expect(status('deaf').reason).toBe('Preempting');
    expect(status('critical').phase).toBe('Running');
  });

  it('is one of two that come at once: each has its room made in turn', async () => {
    await pod('first', '900m');
    await pod('second', '900m');
    await cluster.run(2_000);
    await Promise.all([pod('critical-a', '1', { priority: critical }), pod('critical-b', '1', { priority: critical })]);
    await cluster.run(10_000);
    expect(['critical-a', 'critical-b', 'first', 'second'].map((name) => status(name).phase)).toEqual([
      'Running',
      'Running',
      'Succeeded',
      'Succeeded',
    ]);
    expect(cluster.appends.flatMap(({ events }) => events.filter(({ type }) => type === 'PodPreemptedByKubelet'))).toHaveLength(2);
    await proven();
  });

  it('ends one pod at a time, also where two of the controllers of a kubelet have ordered at once', async () => {
    await pod('first', '900m', { grace: 5, annotations: { 'kubereel.dev/on-term': 'ignore' } });
    await pod('second', '900m');
    await cluster.run(2_000);
    const order = (name: string, preemptor: string): Fact =>
      fact('PodPreemptedByKubelet', {
        node: 'node-1',
        namespace: 'default',
        pod: name,
        uid: cluster.get(name)?.metadata.uid as string,
        at: cluster.simulation.clock.now(),
        graceSeconds: 5,
        reason: 'Preempting',
        message: 'for another',
        disruption: 'why',
        preemptor,
      });
    for (const each of [order('first', 'default/a'), order('second', 'default/b')])
      await cluster.simulation.record('kubelet-decisions', [each]);
    await cluster.run(3_000);
    expect(status('second').phase).toBe('Running');
    await cluster.run(5_000);
    expect([status('first').phase, status('second').phase]).toEqual(['Failed', 'Running']);
  });

  it('finds no room among its equals', async () => {
    await pod('equal', '1500m', { priority: critical });
    await cluster.run(2_000);
    await pod('critical', '1', { priority: critical });
    await cluster.run(2_000);
    expect(status('equal').phase).toBe('Running');
    expect(status('critical')).toMatchObject({ phase: 'Failed', reason: 'UnexpectedAdmissionError' });
    await proven();
  });
});
