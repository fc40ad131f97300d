import { describe, expect, it } from 'vitest';
import { fact } from '#libs/events';
import { reconcilePod } from './reconcile-pod';
import { ownEndOf } from './runtime/own-end';
import { aRun, running } from './runtime/runs.fixture';
import { SimulatedCluster, startOfTime, type PodInput } from '../simulated-cluster.fixture';

const onNode = { nodeName: 'node-1' };

async function clusterWithNode(options = {}): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.start(options);
  await cluster.node('node-1');
  await cluster.run(0);
  return cluster;
}

/** A running pod at 1 s after the start of time. */
async function withRunningPod(pod: Partial<PodInput> = {}, options = {}): Promise<SimulatedCluster> {
  const cluster = await clusterWithNode(options);
  await cluster.pod({ name: 'web', ...pod, spec: { ...onNode, ...pod.spec } });
  await cluster.run(1000);
  return cluster;
}

async function expectDerivable(cluster: SimulatedCluster): Promise<void> {
  const { differ, notDerivable, otherVersion, differences, chain } = await cluster.verify();
  expect({ differ, notDerivable, otherVersion, differences, chain }).toEqual({
    differ: 0,
    notDerivable: 0,
    otherVersion: 0,
    differences: [],
    chain: [],
  });
}

const containerOf = (cluster: SimulatedCluster, index = 0): any => cluster.get('web')?.status.containerStatuses[index];

describe('a pod from bound to gone', () => {
  it('is taken at once, runs 300 ms later, and ends 100 ms after TERM; each step is one append', async () => {
    const cluster = await withRunningPod();
    await cluster.delete('web');
    await cluster.run(1000);
    expect(cluster.story('web')).toEqual([
      'Created@0',
      'PodAcceptedByKubelet@0',
      'ContainerStarted@300',
      'PodBecameReady@300',
      'DeletionRequested@1000',
      'ContainersStopping@1000',
      'ContainerExited@1100',
      'PodTerminated@1100',
      'DeletionRequested@1100',
      'Deleted@1100',
    ]);
    expect(cluster.changes('web').at(-2)?.object.status.phase).toBe('Succeeded');
    await expectDerivable(cluster);
  });

  it('carries the correlation of what led to it through its whole life', async () => {
    const cluster = await withRunningPod();
    const correlations = new Set(
      cluster.appends.filter(({ change }) => change?.name === 'web').map(({ events }) => events[0]?.metadata.$correlationId),
    );
    expect(correlations.size).toBe(1);
    await cluster.delete('web');
    await cluster.run(1000);
    const [, ofDeletion] = [
      ...new Set(cluster.appends.filter(({ change }) => change?.name === 'web').map(({ events }) => events[0]?.metadata.$correlationId)),
    ];
    expect(cluster.appends.at(-1)?.events[0]?.metadata.$correlationId).toBe(ofDeletion);
  });

  it('is the same, byte for byte, when it happens again', async () => {
    const tell = async (): Promise<string> => {
      const cluster = await withRunningPod();
      await cluster.delete('web');
      await cluster.run(1000);
      return JSON.stringify(cluster.appends.map(({ events }) => events.map(({ id, data, metadata }) => [id, data, metadata])));
    };
    expect(await tell()).toBe(await tell());
  });
});

describe('a look that comes late', () => {
  it('starts all containers of a pod at once: none keeps those behind it waiting', async () => {
    const cluster = await clusterWithNode();
    const containers = ['one', 'two', 'three'].map((name) => ({ name, image: name }));
    await cluster.pod({ name: 'web', spec: { ...onNode, containers } });
    await cluster.run(100);
    const { state, clock } = cluster.simulation;
    const defaults = { startupMs: 300, onTerm: 'exit' } as const;
    const context = { defaults, assumed: [], makesRoom: false, pulls: [], addressFor: () => '10.244.0.9' };
    // They are due after 300 ms; a timer of a live process goes off a little later.
    const found = reconcilePod(state, 'default/web', { ...context, now: clock.now() + 202 });
    expect(found?.records ?? []).toEqual([]);
    expect(found?.steps).toMatchObject([{ request: { after: { status: { phase: 'Running' } } } }]);
    const [step] = found?.steps ?? [];
    const facts = step?.request.verb === 'record' ? step.request.facts : [];
    expect(facts.map(({ type }) => type)).toEqual(['ContainerStarted', 'ContainerStarted', 'ContainerStarted', 'PodBecameReady']);
  });
});

describe('the end of a deleted pod', () => {
  const cases: [name: string, annotations: Record<string, string>, grace: number, endsAfter: number, exitCode: number][] = [
    ['default', {}, 30, 100, 0],
    ['exit 3', { 'kubereel.dev/on-term': 'exit 3' }, 30, 100, 3],
    ['takes 5s', { 'kubereel.dev/on-term': 'takes 5s' }, 30, 5_000, 0],
    ['takes 1500ms exit 143', { 'kubereel.dev/app.on-term': 'takes 1500ms exit 143' }, 30, 1_500, 143],
    ['takes longer than the grace', { 'kubereel.dev/on-term': 'takes 40s' }, 5, 5_000, 137],
    ['ignore', { 'kubereel.dev/on-term': 'ignore' }, 5, 5_000, 137],
    ['ignore with one second: KILL comes after two', { 'kubereel.dev/on-term': 'ignore' }, 1, 2_000, 137],
    ['own container before the pod as a whole', { 'kubereel.dev/on-term': 'ignore', 'kubereel.dev/app.on-term': 'exit' }, 5, 100, 0],
    ['unreadable', { 'kubereel.dev/on-term': 'whenever' }, 5, 100, 0],
    [
      'ends by itself before TERM has its effect',
      { 'kubereel.dev/on-term': 'ignore', 'kubereel.dev/run-for': '3s', 'kubereel.dev/exit-code': '7' },
      30,
      2_300,
      7,
    ],
  ];
  it.each(cases)('%s', async (_name, annotations, grace, endsAfter, exitCode) => {
    const cluster = await withRunningPod({ annotations });
    await cluster.delete('web', grace);
    await cluster.run(endsAfter - 1);
    expect(cluster.get('web')?.metadata.deletionTimestamp).toBeDefined();
    expect(containerOf(cluster).state.running).toBeDefined();
    await cluster.run(1);
    expect(cluster.get('web')).toBeUndefined();
    const last = cluster.changes('web').at(-2)?.object.status;
    expect(last.phase).toBe(exitCode === 0 ? 'Succeeded' : 'Failed');
    expect(last.containerStatuses[0].state.terminated).toMatchObject({ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' });
    await expectDerivable(cluster);
  });

  it('comes at the end of the grace everywhere when containers ignore TERM by default', async () => {
    const cluster = await withRunningPod({}, { onTerm: 'ignore' });
    await cluster.delete('web');
    await cluster.run(29_999);
    expect(cluster.get('web')).toBeDefined();
    await cluster.run(1);
    expect(cluster.get('web')).toBeUndefined();
  });

  it('waits for a preStop sleep, which uses up the grace', async () => {
    const lifecycle = { preStop: { sleep: { seconds: 4 } } };
    const cluster = await withRunningPod({
      spec: { containers: [{ name: 'app', image: 'app:1', lifecycle }] },
      annotations: { 'kubereel.dev/on-term': 'takes 3s' },
    });
    await cluster.delete('web', 4);
    await cluster.run(5_999);
    expect(cluster.get('web')).toBeDefined();
    await cluster.run(1);
    expect(cluster.get('web')).toBeUndefined();
    expect(cluster.changes('web').at(-2)?.object.status.containerStatuses[0].state.terminated.exitCode).toBe(137);
  });

  it('does not come sooner by a second request with less grace, once TERM was sent; by force it does', async () => {
    const cluster = await withRunningPod({ annotations: { 'kubereel.dev/on-term': 'ignore' } });
    await cluster.delete('web', 30);
    await cluster.run(2_000);
    await cluster.delete('web', 3);
    await cluster.run(10_000);
    expect(cluster.get('web')?.metadata.deletionGracePeriodSeconds).toBe(3);
    await cluster.delete('web', 0);
    expect(cluster.get('web')).toBeUndefined();
    await expectDerivable(cluster);
  });

  it('is told of also where the pod was taken away at once', async () => {
    const cluster = await withRunningPod();
    await cluster.delete('web', 0);
    await cluster.run(1_000);
    const told = cluster.appends.flatMap(({ events }) =>
      events.filter(({ type, data }) => type === 'Reported' && data.resource === 'pods'),
    );
    expect(told.map(({ data }) => [data.reason, data.message, data.fieldPath])).toEqual([
      ['Killing', 'Stopping container app', 'spec.containers{app}'],
    ]);
    await expectDerivable(cluster);
  });

  it('is the end of containers that never ran', async () => {
    const cluster = await clusterWithNode();
    await cluster.pod({ name: 'web', spec: onNode });
    await cluster.run(100);
    await cluster.delete('web');
    await cluster.run(100);
    expect(cluster.get('web')).toBeUndefined();
    const last = cluster.changes('web').at(-2)?.object.status;
    expect(last.phase).toBe('Failed');
    expect(last.containerStatuses[0].state.terminated).toMatchObject({ exitCode: 137, reason: 'ContainerStatusUnknown', startedAt: null });
  });

  it('leaves a pod with a finalizer in place, over and not asked for again', async () => {
    const cluster = await withRunningPod({ metadata: { finalizers: ['example.com/hold'] } });
    await cluster.delete('web');
    await cluster.run(60_000);
    expect(cluster.get('web')).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0 }, status: { phase: 'Succeeded' } });
    expect(cluster.story('web').filter((event) => event.startsWith('DeletionRequested'))).toHaveLength(2);
  });
});

describe('containers that end by themselves', () => {
  it('complete the pod when it is not to be restarted', async () => {
    const cluster = await withRunningPod({ spec: { restartPolicy: 'Never' }, annotations: { 'kubereel.dev/run-for': '20s' } });
    await cluster.run(19_299);
    expect(cluster.get('web')?.status.phase).toBe('Running');
    await cluster.run(1_000);
    expect(cluster.get('web')?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] });
    await cluster.run(1);
    expect(cluster.get('web')?.status.phase).toBe('Succeeded');
    expect(cluster.story('web').slice(-3)).toEqual(['ContainerExited@20300', 'StatusUpdated@20300', 'PodTerminated@21300']);
  });

  it('restart after growing waits, shown as CrashLoopBackOff from the second look on', async () => {
    const cluster = await withRunningPod({ annotations: { 'kubereel.dev/run-for': '1s', 'kubereel.dev/exit-code': '1' } });
    await cluster.run(200_000);
    const starts = cluster
      .story('web')
      .filter((event) => event.startsWith('ContainerStarted'))
      .map((event) => Number(event.split('@')[1]));
    expect(starts.map((at, index) => at - (starts[index - 1] ?? at))).toEqual([0, 1_300, 13_800, 26_300, 51_300, 88_800]);
    const shown = cluster
      .changes('web')
      .filter(({ object }) => object.status.containerStatuses?.[0].state.waiting?.reason === 'CrashLoopBackOff');
    expect(shown.map(({ at }) => at).slice(0, 2)).toEqual([15_100, 28_900]);
    expect(shown[1]?.object.status.containerStatuses[0].state.waiting.message).toMatch(
      /^back-off 20s restarting failed container=app pod=web_default\(/,
    );
    await expectDerivable(cluster);
  });

  it('is restarted by a kubelet that was restarted meanwhile, after the same wait', async () => {
    const cluster = await withRunningPod({ annotations: { 'kubereel.dev/run-for': '1s', 'kubereel.dev/exit-code': '1' } });
    await cluster.run(30_000);
    const restarts = containerOf(cluster).restartCount;
    await cluster.restart();
    await cluster.run(10_000);
    expect(containerOf(cluster).restartCount).toBe(restarts);
    await cluster.run(2_000);
    expect(containerOf(cluster).restartCount).toBe(restarts + 1);
    await expectDerivable(cluster);
  });
});

describe('the kubelet of a node', () => {
  it('takes no more than the node has, also when pods come in the same instant', async () => {
    const cluster = await clusterWithNode();
    const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '1500m' } } }];
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => cluster.pod({ name, spec: { ...onNode, containers } })));
    await cluster.run(1_000);
    expect(['a', 'b', 'c', 'd'].map((name) => cluster.get(name)?.status.phase)).toEqual(['Running', 'Running', 'Failed', 'Failed']);
    expect(cluster.get('d')?.status).toMatchObject({
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1500, used: 3000, capacity: 4000",
    });
    expect(cluster.story('d')).toEqual(['Created@0', 'PodRejectedByKubelet@0', 'StatusUpdated@0']);
    await expectDerivable(cluster);
  });

  it('gives every pod of every node its own address, and again the one that became free only when all others are used', async () => {
    const cluster = await clusterWithNode();
    await cluster.node('node-2');
    for (let i = 0; i < 20; i++) await cluster.pod({ name: `p${i}`, spec: { nodeName: `node-${1 + (i % 2)}` } });
    await cluster.pod({ name: 'host', spec: { ...onNode, hostNetwork: true } });
    await cluster.run(1_000);
    const addresses = Array.from({ length: 20 }, (_, i) => cluster.get(`p${i}`)?.status.podIP);
    expect(new Set(addresses).size).toBe(20);
    expect(cluster.get('host')?.status.podIP).toBe(cluster.get('host')?.status.hostIP);
    await cluster.delete('p0', 0);
    await cluster.pod({ name: 'late', spec: onNode });
    await cluster.restart();
    await cluster.run(1_000);
    expect(addresses).not.toContain(cluster.get('late')?.status.podIP);
    await expectDerivable(cluster);
  });

  it('does nothing while its node is silent, and carries on afterwards', async () => {
    const cluster = await withRunningPod();
    await cluster.simulation.record('kubelet-decisions', [fact('NodeHeartbeatStopped', { node: 'node-1' })]);
    await cluster.delete('web');
    await cluster.pod({ name: 'next', spec: onNode });
    await cluster.run(60_000);
    expect(cluster.get('web')?.status.phase).toBe('Running');
    expect(cluster.get('next')?.status.phase).toBe('Pending');
    await cluster.simulation.record('kubelet-decisions', [fact('NodeHeartbeatResumed', { node: 'node-1' })]);
    await cluster.run(1_000);
    expect(cluster.get('web')).toBeUndefined();
    expect(cluster.get('next')?.status.phase).toBe('Running');
    await expectDerivable(cluster);
  });

  it('is not there for a node that opts out, and takes waiting pods as soon as there is a node', async () => {
    const cluster = await SimulatedCluster.start();
    await cluster.node('node-1', { metadata: { annotations: { 'kubereel.dev/kubelet': 'none' } } as never });
    await cluster.pod({ name: 'web', spec: onNode });
    await cluster.pod({ name: 'early', spec: { nodeName: 'node-2' } });
    await cluster.run(5_000);
    expect(cluster.get('web')?.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(cluster.simulation.get('nodes', undefined, 'node-1')?.status).toEqual({});
    expect(cluster.get('early')?.status.phase).toBe('Pending');
    await cluster.node('node-2');
    await cluster.run(1_000);
    expect(cluster.get('early')?.status.phase).toBe('Running');
  });

  it('carries on after a restart in the middle of a start and of a stop', async () => {
    const cluster = await clusterWithNode();
    await cluster.pod({ name: 'web', spec: onNode, annotations: { 'kubereel.dev/startup': '5s', 'kubereel.dev/on-term': 'takes 10s' } });
    await cluster.run(3_000);
    await cluster.restart();
    await cluster.run(1_000);
    expect(cluster.get('web')?.status.phase).toBe('Pending');
    await cluster.run(1_000);
    expect(cluster.get('web')?.status.phase).toBe('Running');
    await cluster.delete('web');
    await cluster.run(4_000);
    await cluster.restart();
    await cluster.run(4_500);
    expect(cluster.get('web')?.status.phase).toBe('Running');
    await cluster.run(1_500);
    expect(cluster.get('web')).toBeUndefined();
    await expectDerivable(cluster);
  });
});

it('is started by a kubelet that comes back late, each of its containers once', async () => {
  const cluster = await clusterWithNode();
  const annotations = { 'kubereel.dev/a.startup': '4s', 'kubereel.dev/b.startup': '4s' };
  const containers = ['a', 'b'].map((name) => ({ name, image: 'app:1' }));
  await cluster.pod({ name: 'web', spec: { ...onNode, containers }, annotations });
  await cluster.run(2_000);
  await cluster.simulation.restart([]);
  await cluster.run(7_000);
  await cluster.restart();
  await cluster.run(30_000);
  expect(cluster.story('web')).toEqual(['ContainerStarted@9000', 'ContainerStarted@9000', 'PodBecameReady@9000']);
  await expectDerivable(cluster);
});

const toldOf = (cluster: SimulatedCluster): string[] =>
  cluster.appends.flatMap(({ events, time }) =>
    events.flatMap(({ type, data }) =>
      type === 'Reported' && data.resource === 'pods' ? [`${data.reason}${data.count} ${time - startOfTime}`] : [],
    ),
  );

it('that was to go during a pull shows a run that ended after it began, though the kubelet comes back late', async () => {
  const cluster = await clusterWithNode();
  await cluster.pod({ name: 'web', spec: onNode, annotations: { 'kubereel.dev/images': 'app:1 absent; takes 8s' } });
  await cluster.run(3_000);
  await cluster.delete('web');
  await cluster.run(0);
  await cluster.simulation.restart([]);
  await cluster.run(20_000);
  await cluster.restart();
  await cluster.run(5_000);
  const [last] = cluster.changes('web').slice(-1);
  const { terminated } = (last as any).object.status.containerStatuses[0].state;
  expect(terminated).toMatchObject({ startedAt: '2026-01-01T00:00:08Z', finishedAt: '2026-01-01T00:00:09Z' });
  await expectDerivable(cluster);
});

it('that was to go while its kubelet was away is not started once more by the next one', async () => {
  const cluster = await clusterWithNode();
  const annotations = { 'kubereel.dev/app.runs': '1s exit 1', 'kubereel.dev/app.exec.prepare': 'ok takes 2s' };
  const lifecycle = { postStart: { exec: { command: ['prepare'] } } };
  const containers = [
    { name: 'other', image: 'app:1' },
    { name: 'app', image: 'app:1', lifecycle },
  ];
  await cluster.pod({ name: 'web', spec: { ...onNode, containers }, annotations });
  await cluster.run(40_000);
  const starts = (): string[] => cluster.story('web').filter((told) => told.startsWith('ContainerStarted'));
  const before = starts();
  await cluster.simulation.record('kubelet-decisions', [fact('NodeHeartbeatStopped', { node: 'node-1' })]);
  await cluster.delete('web');
  await cluster.run(360_000);
  await cluster.simulation.record('kubelet-decisions', [fact('KubeletRestarted', { node: 'node-1', reboot: true })]);
  await cluster.run(60_000);
  expect(starts()).toEqual(before);
  expect(cluster.get('web')).toBeUndefined();
  await expectDerivable(cluster);
});

describe('hooks', () => {
  const command = (word: string) => ({ exec: { command: [word] } });
  const withHooks = (lifecycle: object, name = 'app') => ({ name, image: 'app:1', lifecycle });
  it('after a start keep the next container and the status waiting, while Events tell of it', async () => {
    const cluster = await clusterWithNode();
    const containers = [withHooks({ postStart: { sleep: { seconds: 4 } } }, 'a'), { name: 'b', image: 'app:1' }];
    await cluster.pod({ name: 'web', spec: { ...onNode, containers } });
    await cluster.run(4_500);
    expect(containerOf(cluster).state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(toldOf(cluster)).toEqual(['Pulled1 300', 'Created1 300', 'Started1 300']);
    await cluster.run(200);
    expect(containerOf(cluster, 0).state.running.startedAt).toBe('2026-01-01T00:00:00Z');
    expect(containerOf(cluster, 1).state.running.startedAt).toBe('2026-01-01T00:00:04Z');
    expect(cluster.story('web').slice(2)).toEqual([
      'ContainerStarted@4600',
      'ContainerStarted@4600',
      'PodBecameReady@4600',
      'StatusUpdated@4600',
    ]);
    await expectDerivable(cluster);
  });

  it('after a start do not keep those waiting that were started before', async () => {
    const cluster = await clusterWithNode();
    const containers = [{ name: 'a', image: 'app:1' }, withHooks({ postStart: { sleep: { seconds: 4 } } }, 'b')];
    await cluster.pod({ name: 'web', spec: { ...onNode, containers } });
    await cluster.run(4_500);
    expect(toldOf(cluster)).toEqual(['a', 'b'].flatMap(() => ['Pulled1 300', 'Created1 300', 'Started1 300']));
    for (const index of [0, 1]) expect(containerOf(cluster, index).state.running.startedAt).toBe('2026-01-01T00:00:00Z');
    expect(cluster.story('web').slice(2)).toEqual([
      'ContainerStarted@4300',
      'ContainerStarted@4300',
      'PodBecameReady@4300',
      'StatusUpdated@4300',
    ]);
    await expectDerivable(cluster);
  });

  it('ask a port by its name, or by a number written as a text, as probes do; another name fails', async () => {
    const ports = [{ name: 'web', containerPort: 8080 }];
    const asking = (name: string, port: string): object => ({ ...withHooks({ postStart: { httpGet: { path: '/', port } } }, name), ports });
    const cluster = await clusterWithNode();
    const annotations = { 'kubereel.dev/named.tcp.8080': 'closed' };
    await cluster.pod({ name: 'web', spec: { ...onNode, containers: [asking('named', 'web'), asking('written', '8081')] }, annotations });
    await cluster.pod({ name: 'other', spec: { ...onNode, containers: [asking('unnamed', 'no-such-port')] } });
    await cluster.run(1_500);
    const stateOf = (pod: string, index: number): any => cluster.get(pod)?.status.containerStatuses[index].state;
    expect(stateOf('web', 0).waiting?.message).toMatch(/dial tcp 10\..*:8080: connect: connection refused$/);
    expect(stateOf('web', 1)).toHaveProperty('running');
    expect(stateOf('other', 0).waiting?.message).toMatch(/error: strconv.Atoi: parsing "no-such-port": invalid syntax$/);
  });

  it('that fail after a start end the container, which waits and is started anew', async () => {
    const cluster = await clusterWithNode();
    const annotations = { 'kubereel.dev/app.exec.hello': 'exit 1 err "no greeting" takes 1s' };
    await cluster.pod({ name: 'web', spec: { ...onNode, containers: [withHooks({ postStart: command('hello') })] }, annotations });
    await cluster.run(1_500);
    expect(containerOf(cluster)).toMatchObject({
      restartCount: 0,
      lastState: { terminated: { exitCode: 0, reason: 'Completed' } },
      state: { waiting: { reason: 'PostStartHookError' } },
    });
    expect(containerOf(cluster).state.waiting.message).toMatch(
      /^Exec lifecycle hook \(\[hello\]\) for Container "app" in Pod "web_default\(.*\)" failed - error: command 'hello' exited with 1: no greeting, message: "no greeting"$/,
    );
    await cluster.run(3_000);
    expect(containerOf(cluster)).toMatchObject({ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } });
    expect(toldOf(cluster).filter((told) => /Hook|Killing/.test(told))).toEqual([
      'FailedPostStartHook1 1300',
      'Killing1 1300',
      'FailedPostStartHook2 2700',
      'Killing2 2700',
    ]);
    await expectDerivable(cluster);
  });

  it.each([
    ['exit 1', ['FailedPreStopHook1 1000'], 1_100],
    ['takes 20s', ['FailedPreStopHook1 6100'], 6_100],
    ['takes 3s', [], 4_100],
  ])('before a stop (%s) use up the grace', async (does, told, endsAt) => {
    const containers = [withHooks({ preStop: command('bye') })];
    const cluster = await withRunningPod({ spec: { containers }, annotations: { 'kubereel.dev/app.exec.bye': does } });
    await cluster.delete('web', 5);
    await cluster.run(10_000);
    expect(toldOf(cluster)).toEqual(told);
    expect(cluster.story('web').at(-1)).toBe(`Deleted@${endsAt}`);
    await expectDerivable(cluster);
  });
});

describe('hooks that no annotation speaks of', () => {
  const script = (text: string) => ({ exec: { command: ['sh', '-c', text] } });

  it.each([
    ['a server', { image: 'nginx' }, 'sleep 3', [], 4_100],
    ['a server whose files nobody knows', { image: 'nginx' }, 'nginx -s quit; test -f /app/stop', [], 1_100],
    ['a server', { image: 'nginx' }, 'sleep 1; exit 7', ['FailedPreStopHook1 2000'], 2_100],
    [
      'a reference to others',
      { image: 'nginx', env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'a', key: 'a' } } }] },
      'sleep 3',
      [],
      4_100,
    ],
    ['its own files', { image: 'busybox', command: ['sh', '-c', 'sleep 1; echo 2 > /tmp/n; sleep 600'] }, 'sleep $(cat /tmp/n)', [], 3_100],
    ['its own files', { image: 'busybox', command: ['sh', '-c', 'sleep 600'] }, 'cat /tmp/n', ['FailedPreStopHook1 1000'], 1_100],
    ['what is outside', { image: 'nginx' }, 'sleep 3; wget web', [], 1_100],
  ])('before a stop, with %s, do what they say: %j', async (_, container, text, told, endsAt) => {
    const containers = [{ name: 'app', ...container, lifecycle: { preStop: script(text) } }];
    const cluster = await clusterWithNode();
    await cluster.simulation.put('configmaps', { metadata: { name: 'a', namespace: 'default', uid: 'a' }, data: { a: 'b' } } as never);
    await cluster.pod({ name: 'web', spec: { ...onNode, containers }, annotations: { 'kubereel.dev/startup': '0s' } });
    await cluster.run(1_000);
    await cluster.delete('web', 20);
    await cluster.run(20_000);
    expect(toldOf(cluster).filter((each) => each.includes('Hook'))).toEqual(told);
    expect(cluster.story('web').at(-1)).toBe(`Deleted@${endsAt}`);
    await expectDerivable(cluster);
  });

  it('after a start fail with what their command writes', async () => {
    const cluster = await clusterWithNode();
    const lifecycle = { postStart: script('echo trying; echo no way >&2; exit 3') };
    await cluster.pod({ name: 'web', spec: { ...onNode, containers: [{ name: 'app', image: 'nginx', lifecycle }] } });
    await cluster.run(1_500);
    expect(containerOf(cluster).state.waiting).toMatchObject({ reason: 'PostStartHookError' });
    expect(containerOf(cluster).state.waiting.message).toContain('exited with 3: no way\n, message: "trying\\nno way\\n"');
    await expectDerivable(cluster);
  });
});

it('hooks that outlast the grace leave two seconds more', async () => {
  const lifecycle = { preStop: { exec: { command: ['sleep', '20'] } } };
  const annotations = { 'kubereel.dev/startup': '0s', 'kubereel.dev/on-term': 'ignore' };
  const cluster = await withRunningPod({ spec: { containers: [{ name: 'app', image: 'nginx', lifecycle }] }, annotations });
  await cluster.delete('web', 5);
  await cluster.run(20_000);
  expect(cluster.story('web').at(-1)).toBe('Deleted@8000');
  await expectDerivable(cluster);
});

it('the active deadline counts while init containers run', async () => {
  const initContainers = [{ name: 'first', image: 'busybox', command: ['sleep', '600'] }];
  const spec = {
    initContainers,
    containers: [{ name: 'app', image: 'nginx' }],
    activeDeadlineSeconds: 3,
    terminationGracePeriodSeconds: 1,
  };
  const cluster = await withRunningPod({ spec });
  expect(cluster.get('web')?.status.phase).toBe('Pending');
  await cluster.run(10_000);
  expect(cluster.get('web')?.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  await expectDerivable(cluster);
});

describe('the message of a container that ends', () => {
  const lines = (from: number): string => Array.from({ length: 100 - from }, (_, line) => `line ${line + from}\n`).join('');
  it.each<[policy: string, code: number, message: string | undefined, expected: string | undefined]>([
    ['File', 1, 'out of cheese', 'out of cheese'],
    ['File', 1, 'm'.repeat(5_000), 'm'.repeat(4_096)],
    ['File', 1, undefined, undefined],
    ['FallbackToLogsOnError', 0, undefined, undefined],
    ['FallbackToLogsOnError', 1, 'own', 'own'],
    ['FallbackToLogsOnError', 1, undefined, lines(20)],
  ])('by policy %s with code %d', (terminationMessagePolicy, exitCode, message, expected) => {
    const log = Array.from({ length: 100 }, (_, line) => ({ atMs: line, text: `line ${line}` }));
    const run = aRun('app', { ...running(0), with: { terminationMessagePolicy } });
    run.behaviour = { ...run.behaviour, runs: [{ runForMs: 1_000, exitCode, log, ...(message === undefined ? {} : { message }) }] };
    expect(ownEndOf(run)).toEqual({ at: 1_000, exitCode, ...(expected === undefined ? {} : { message: expected }) });
  });

  it('that has used up its memory is OOMKilled', () => {
    const run = aRun('app', running(0));
    run.behaviour = { ...run.behaviour, runs: [{ runForMs: 1_000, exitCode: 0, oomKilled: true }] };
    expect(ownEndOf(run)).toEqual({ at: 1_000, exitCode: 137, reason: 'OOMKilled' });
  });
});

describe('a container that uses more memory than its limit', () => {
  it.each<[memory: string, at: number | undefined]>([
    ['100Mi', undefined],
    ['101Mi', 0],
    ['50Mi; from 10s 200Mi', 10_000],
    ['90Mi grows 1Mi/s', 10_001],
    ['90Mi grows 1Mi/s up to 100Mi', undefined],
    ['90Mi grows 1Mi/s up to 101Mi', 10_001],
    ['90Mi grows 1Mi/s; from 5s 20Mi; from 6s 1Gi', 6_000],
  ])('%s of 100Mi', (memory, at) => {
    const run = aRun('app', { ...running(0), does: { memory }, with: { resources: { limits: { memory: '100Mi' } } } });
    expect(ownEndOf(run)?.at).toBe(at);
    const unlimited = aRun('app', { ...running(0), does: { memory } });
    expect(ownEndOf(unlimited)).toBeUndefined();
    const other = { limits: { memory: '40Mi' } };
    if (at === undefined) expect(ownEndOf({ ...run, actual: other, resizedAt: 3_000 })?.at).toBe(3_000);
  });

  it('is OOMKilled and restarted, later and later; its program may end before that; the log is proven', async () => {
    const resources = { limits: { memory: '40Mi' } };
    const containers = ['leaky', 'short'].map((name) => ({ name, image: 'app:1', resources }));
    const annotations = { 'kubereel.dev/memory': '32Mi grows 1Mi/s', 'kubereel.dev/short.run-for': '5s' };
    const cluster = await withRunningPod({ spec: { containers }, annotations });
    await cluster.run(20_000);
    const exits = cluster.appends.flatMap(({ events, time }) =>
      events
        .filter(({ type }) => type === 'ContainerExited')
        .map(({ data }) => [data.container, data.exitCode, data.reason, time - startOfTime]),
    );
    expect(exits.slice(0, 2)).toEqual([
      ['short', 0, 'Completed', 5_300],
      ['leaky', 137, 'OOMKilled', 8_301],
    ]);
    expect(exits.filter(([name]) => name === 'leaky')).toHaveLength(2);
    await cluster.run(38_000);
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    expect(containerOf(cluster)).toMatchObject({ name: 'leaky', state, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } });
    await expectDerivable(cluster);
  });

  it('is killed for a limit of the pod, too, when it is furthest over what it asked for; the other goes on', async () => {
    const asking = (memory: string): object => ({ image: 'app:1', resources: { requests: { memory } } });
    const containers = [{ name: 'large', ...asking('60Mi') }, { name: 'leaky', ...asking('10Mi') }]; // prettier-ignore
    const annotations = { 'kubereel.dev/large.memory': '60Mi', 'kubereel.dev/leaky.memory': '20Mi grows 1Mi/s' };
    const cluster = await withRunningPod({ spec: { containers, resources: { limits: { memory: '100Mi' } } }, annotations });
    await cluster.run(30_000);
    const exits = cluster.appends.flatMap(({ events, time }) =>
      events.filter(({ type }) => type === 'ContainerExited').map(({ data }) => [data.container, data.reason, time - startOfTime]),
    );
    expect(exits).toEqual([['leaky', 'OOMKilled', 20_301]]);
    expect(containerOf(cluster)).toMatchObject({ name: 'large', restartCount: 0, state: { running: {} } });
    await expectDerivable(cluster);
  });

  it('is told of as such by what ResourceUsage objects of kwok say, too', async () => {
    const cluster = await clusterWithNode();
    const usages = [{ usage: { memory: { value: '64Mi' } } }];
    await cluster.simulation.put('resourceusages.kwok.x-k8s.io', {
      metadata: { name: 'web', namespace: 'default', uid: 'u1' },
      spec: { usages },
    } as never);
    await cluster.pod({
      name: 'web',
      spec: { ...onNode, containers: [{ name: 'app', image: 'a', resources: { limits: { memory: '40Mi' } } }] },
    });
    await cluster.run(1_000);
    expect(containerOf(cluster).lastState.terminated ?? containerOf(cluster).state.terminated).toMatchObject({ reason: 'OOMKilled' });
  });
});

it('a pod that is never restarted is not run in another sandbox when its own dies', async () => {
  const cluster = await clusterWithNode();
  const spec = { ...onNode, restartPolicy: 'Never', initContainers: [{ name: 'setup', image: 'app:1' }] };
  const annotations = { 'kubereel.dev/setup.runs': '2s', 'kubereel.dev/app.startup': '30s' };
  await cluster.pod({ name: 'web', spec, annotations });
  await cluster.run(10_000);
  const killed = [cluster.get('web')?.metadata.uid as string];
  await cluster.simulation.record('kubelet-decisions', [fact('RuntimeStateChanged', { node: 'node-1', killed })]);
  await cluster.run(120_000);
  expect(cluster.story('web').filter((told) => told.startsWith('ContainerStarted'))).toEqual(['ContainerStarted@300']);
  expect(cluster.get('web')?.status?.phase).toBe('Pending');
  await expectDerivable(cluster);
});

it('a pod whose sandbox dies is run anew in another, its init containers too', async () => {
  const initContainers = [{ name: 'prepare', image: 'init:1' }];
  const cluster = await withRunningPod({ spec: { initContainers }, annotations: { 'kubereel.dev/prepare.run-for': '2s' } });
  await cluster.run(5_000);
  const killed = [cluster.get('web')?.metadata.uid as string];
  await cluster.simulation.record('kubelet-decisions', [fact('RuntimeStateChanged', { node: 'node-1', killed })]);
  await cluster.run(0);
  const shown = (): unknown => {
    const { phase, conditions, initContainerStatuses, containerStatuses } = cluster.get('web')?.status ?? {};
    const sandbox = conditions.find(({ type }: { type: string }) => type === 'PodReadyToStartContainers').status;
    return [
      phase,
      sandbox,
      ...[...initContainerStatuses, ...containerStatuses].map((each) => [Object.keys(each.state)[0], each.restartCount]),
    ];
  };
  expect(shown()).toEqual(['Running', 'False', ['terminated', 0], ['terminated', 0]]);
  await cluster.run(1_000);
  expect(shown()).toEqual(['Pending', 'True', ['running', 1], ['terminated', 0]]);
  await cluster.run(3_000);
  expect(shown()).toEqual(['Running', 'True', ['terminated', 1], ['running', 1]]);
  await expectDerivable(cluster);
});

it('a crash of the kubelet changes no moment of any pod', async () => {
  const deletedAt = 17_930;
  const story = async (crashesAt: readonly number[]): Promise<string[]> => {
    const cluster = await clusterWithNode();
    const annotations = { 'kubereel.dev/startup': '730ms', 'kubereel.dev/run-for': '1470ms', 'kubereel.dev/exit-code': '1' };
    await cluster.pod({ name: 'web', spec: onNode, annotations: { ...annotations, 'kubereel.dev/on-term': 'takes 450ms' } });
    const told: string[] = [];
    let at = 0;
    for (const stop of [...crashesAt, deletedAt].sort((a, b) => a - b)) {
      await cluster.run(stop - at);
      at = stop;
      if (stop === deletedAt) await cluster.delete('web', 9);
      else {
        told.push(...cluster.story('web'));
        await cluster.restart();
      }
    }
    await cluster.run(10_000);
    return [...told, ...cluster.story('web')];
  };
  const undisturbed = await story([]);
  expect(undisturbed.at(-1)).toBe(`Deleted@${deletedAt + 450}`);
  expect(await story([400, 1_100, 2_900, 3_210, 15_550, 17_935, 18_300])).toEqual(undisturbed);
});

describe('readiness', () => {
  it('follows the annotation when it is changed', async () => {
    const cluster = await withRunningPod({ annotations: { 'kubereel.dev/ready': 'false' } });
    const ready = (): string => cluster.get('web')?.status.conditions.find((condition: any) => condition.type === 'Ready').status;
    expect(ready()).toBe('False');
    const annotate = (value: string | null) =>
      cluster.write({
        verb: 'patch',
        target: { resource: 'pods', namespace: 'default', name: 'web' },
        patchType: 'merge',
        patch: { metadata: { annotations: { 'kubereel.dev/ready': value } } },
      });
    await annotate(null);
    await cluster.run(0);
    expect(ready()).toBe('True');
    await annotate('never');
    await cluster.run(0);
    expect(ready()).toBe('False');
  });

  it('comes with the delays of the probes', async () => {
    const probe = { tcpSocket: { port: 80 }, initialDelaySeconds: 4, periodSeconds: 2, successThreshold: 3 };
    const containers = [
      {
        name: 'app',
        image: 'app:1',
        startupProbe: { exec: { command: ['up'] }, initialDelaySeconds: 3, periodSeconds: 1 },
        readinessProbe: probe,
      },
    ];
    const cluster = await withRunningPod({ spec: { containers } });
    await cluster.run(20_000);
    const seen = cluster.changes('web').map(({ at, object }) => ({
      at,
      started: object.status.containerStatuses?.[0].started,
      ready: object.status.containerStatuses?.[0].ready,
    }));
    expect(seen.slice(2)).toEqual([
      { at: 300, started: false, ready: false },
      { at: 3_000, started: true, ready: false },
      { at: 9_000, started: true, ready: true },
    ]);
  });
});

it('states nothing twice: a quiet cluster appends nothing', async () => {
  const cluster = await withRunningPod();
  const before = cluster.appends.length;
  await cluster.run(3_600_000);
  expect(cluster.appends.length).toBe(before);
  expect(cluster.simulation.clock.next()).toBeUndefined();
  expect(cluster.simulation.clock.now()).toBe(startOfTime + 3_601_000);
});
