import { afterEach, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { SimulatedCluster } from '../simulated-cluster.fixture';
import type { KubeletOptions } from '../kubelet-controllers';
import { statusOf } from './pod-types';

let cluster: SimulatedCluster;

async function start(options: KubeletOptions = {}): Promise<void> {
  cluster = await SimulatedCluster.start(options);
  await cluster.node('n', { capacity: { cpu: '4', memory: '8Gi', pods: '110' } });
  await cluster.run(1_000);
}

afterEach(async () => {
  const { differ, notDerivable, differences } = await cluster.verify();
  expect({ differ, notDerivable, differences }).toEqual({ differ: 0, notDerivable: 0, differences: [] });
});

/** A pod on the node that runs one container `app`. */
function pod(name: string, container: JsonObject = {}, annotations: Record<string, string> = {}, spec: JsonObject = {}): Promise<void> {
  const full = Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`kubereel.dev/${key}`, value]));
  const containers = [{ name: 'app', image: 'app:1', ...container }];
  return cluster.pod({ name, spec: { nodeName: 'n', containers, ...spec }, annotations: full });
}

function state(name = 'p'): JsonObject {
  return statusOf(cluster.get(name) as KubeObject).containerStatuses?.[0]?.state as JsonObject;
}

const waiting = (reason: string, message?: string): object => ({ waiting: { reason, ...(message === undefined ? {} : { message }) } });

/** What was told of pods: `REASON message (count)`, each as it was told last. */
function told(): string[] {
  const texts = new Map<string, string>();
  for (const { events } of cluster.appends)
    for (const { type, data } of events) {
      if (type !== 'Reported' || data.resource !== 'pods') continue;
      const { reason, message, count = 1 } = data as { reason: string; message: string; count?: number };
      texts.set(`${reason} ${message}`, `${reason} ${message} (${count})`);
    }
  return [...texts.values()];
}

function startsOf(name: string): JsonObject[] {
  return cluster.appends
    .filter(({ change }) => change?.name === name)
    .flatMap(({ events }) => events.filter(({ type }) => type === 'ContainerStarted').map(({ data }) => data));
}

async function configMap(name: string, data: Record<string, string>): Promise<void> {
  const creationTimestamp = new Date(cluster.simulation.clock.now()).toISOString().replace(/\.\d+Z/, 'Z');
  await cluster.simulation.put('configmaps', { metadata: { name, namespace: 'default', uid: name, creationTimestamp }, data } as never);
}

it('the first container of an image on a node pulls it as a part of its start, in no more appends; later ones find it there', async () => {
  await start();
  await pod('first');
  await cluster.run(1_000);
  await pod('second');
  await cluster.run(1_000);
  await pod('other', { image: 'app:2' });
  await cluster.run(1_000);
  const [first, second, other] = ['first', 'second', 'other'].map((name) => startsOf(name)[0]?.pull);
  const { tookMs, bytes } = first as { tookMs: number; bytes: number };
  expect(tookMs).toBeLessThan(300);
  expect(bytes).toBeGreaterThan(0);
  expect(second).toBeUndefined();
  expect(other).toBeDefined();
  expect(cluster.changes('first').map(({ at }) => at - 1_000)).toEqual(cluster.changes('second').map(({ at }) => at - 2_000));
  expect(told()).toEqual([]);
});

it('an image that must be pulled is pulled for each start, one that must not be is there unless it is said to be absent', async () => {
  await start();
  await pod('always', { imagePullPolicy: 'Always' }, { 'app.run-for': '1s', 'app.exit-code': '1' });
  await pod('never', { image: 'own:1', imagePullPolicy: 'Never' });
  await pod('p', { image: 'own:2', imagePullPolicy: 'Never' }, { images: 'own:2 absent' });
  await cluster.run(5_000);
  expect(startsOf('always').map(({ pull }) => pull !== undefined)).toEqual([true, true]);
  expect(startsOf('never')).toHaveLength(1);
  const message = 'Container image "own:2" is not present with pull policy of Never';
  expect(state()).toEqual(waiting('ErrImageNeverPull', message));
  expect(told()).toEqual(expect.arrayContaining([`ErrImageNeverPull ${message} (2)`, 'Failed Error: ErrImageNeverPull (2)']));
});

it('a pull that is said to take long is told when it begins, and the container starts when it is over', async () => {
  await start();
  await pod('p', { image: 'big:1' }, { images: 'big:1 takes 6s; size 100Mi' });
  await cluster.run(5_000);
  expect(told()).toEqual(['Pulling Pulling image "big:1" (1)']);
  expect(state()).toEqual(waiting('ContainerCreating'));
  await cluster.run(2_000);
  expect(startsOf('p')[0]?.pull).toEqual({ tookMs: 6_000, bytes: 104_857_600, announced: true });
  expect(state()).toHaveProperty('running');
});

const slowly = { images: 'big:1 takes 4s' };

/** When containers of the pods were told to have been started, seconds after the pods came. */
function startTimes(...names: string[]): number[] {
  return names.map((name) => ((cluster.changes(name).find(({ object }) => isRunning(object))?.at ?? Number.NaN) - 1_000) / 1_000);
}

function isRunning(object: KubeObject): boolean {
  return statusOf(object).containerStatuses?.some(({ state: now }) => now.running) ?? false;
}

it.each<[what: string, options: KubeletOptions, expected: number[]]>([
  ['one image after the other', {}, [4.3, 8.3, 12.3]],
  ['two images at once', { maxParallelImagePulls: 2 }, [4.3, 4.3, 8.3]],
  ['all images at once', { serializeImagePulls: false }, [4.3, 4.3, 4.3]],
])('a node pulls %s', async (_what, options, expected) => {
  await start(options);
  for (const name of ['a', 'b', 'c']) await pod(name, { image: 'big:1' }, slowly);
  await cluster.run(20_000);
  expect(startTimes('a', 'b', 'c')).toEqual(expected);
  const waited = expected.map((seconds) => Math.round((seconds - 4.3) * 1_000));
  expect(['a', 'b', 'c'].map((name) => startsOf(name)[0]?.pull)).toMatchObject(
    waited.map((waitedMs) => ({ tookMs: 4_000, ...(waitedMs > 0 ? { waitedMs } : {}) })),
  );
  expect(told().filter((text) => text.startsWith('Pulling'))).toEqual(['Pulling Pulling image "big:1" (1)']);
});

it('an image that nothing is said about waits for the pulls before it, and one that the node has does not', async () => {
  await start();
  await pod('here');
  await cluster.run(1_000);
  await pod('a', { image: 'big:1' }, slowly);
  await pod('b', { image: 'other:1' });
  await pod('c');
  await cluster.run(10_000);
  expect(startTimes('a', 'b', 'c')).toEqual([5.3, 5.3, 1.3]);
  expect(startsOf('b')[0]?.pull).toMatchObject({ waitedMs: 4_000, announced: true });
});

it('pulls take their turns as before when the kubelet app has crashed, and pulls of pods that are gone are gone on with', async () => {
  await start();
  for (const name of ['a', 'b', 'c']) await pod(name, { image: 'big:1' }, slowly);
  await cluster.run(3_000);
  await cluster.restart();
  await cluster.delete('b', 0);
  await cluster.run(12_000);
  expect(startTimes('a', 'c')).toEqual([4.3, 12.3]);
});

it('a pod that is deleted during a pull is stopped once the sync is through that started its container', async () => {
  await start();
  await pod('p', { image: 'big:1' }, slowly);
  await cluster.run(2_000);
  await cluster.delete('p');
  await cluster.run(3_000);
  expect(state()).toEqual(waiting('ContainerCreating'));
  expect(told().map((text) => text.split(' ')[0])).toEqual(['Pulling', 'Pulled', 'Created', 'Started']);
  await cluster.run(2_000);
  const story = cluster.story('p').map((text) => text.replace(/@.*/, ''));
  expect(story).toEqual(expect.arrayContaining(['ContainerStarted', 'ContainersStopping', 'ContainerExited', 'PodTerminated', 'Deleted']));
  const last = cluster.changes('p').findLast(({ object }) => statusOf(object).phase === 'Succeeded');
  expect(last?.object.status).toMatchObject({ containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] });
});

it('a pod that is deleted during a pull that fails ends when it has failed', async () => {
  await start();
  await pod('p', { image: 'late:1' }, { images: 'late:1 takes 4s; fails NotFound "no such image"' });
  await cluster.run(2_000);
  await cluster.delete('p');
  await cluster.run(2_500);
  expect(cluster.get('p')).toBeDefined();
  await cluster.run(3_000);
  expect(cluster.get('p')).toBeUndefined();
  expect(told().filter((text) => text.startsWith('Pulling'))).toEqual(['Pulling Pulling image "late:1" (1)']);
});

it('a container that has started waits for the pull of the next one before the status shows it', async () => {
  await start();
  const containers = [
    { name: 'app', image: 'app:1' },
    { name: 'b', image: 'big:1' },
  ];
  await cluster.pod({ name: 'p', spec: { nodeName: 'n', containers }, annotations: { 'kubereel.dev/images': slowly.images } });
  await cluster.run(2_000);
  expect(told().map((text) => text.split(' ')[0])).toEqual(expect.arrayContaining(['Pulling', 'Started']));
  expect(state()).toEqual(waiting('ContainerCreating'));
  await cluster.run(4_000);
  const [app, b] = statusOf(cluster.get('p') as KubeObject).containerStatuses ?? [];
  const since = (status: typeof app): number => Date.parse(status?.state.running?.startedAt ?? '');
  expect(since(b) - since(app)).toBeGreaterThanOrEqual(4_000);
});

it('an image that cannot be pulled is tried again with growing waits: each sync shows what the one before it left behind', async () => {
  await start();
  await pod('p', { image: 'late:1' }, { images: 'late:1 fails NotFound "no such image" "still none"' });
  const error = (text: string): string => `rpc error: code = NotFound desc = ${text}`;
  await cluster.run(500);
  expect(state()).toEqual(waiting('ContainerCreating'));
  await cluster.run(1_000);
  expect(state()).toEqual(waiting('ErrImagePull', error('no such image')));
  expect(statusOf(cluster.get('p') as KubeObject)).toMatchObject({ phase: 'Pending', podIP: expect.any(String) });
  await cluster.run(15_000);
  expect(state()).toEqual(waiting('ImagePullBackOff', `Back-off pulling image "late:1": ErrImagePull: ${error('no such image')}`));
  await cluster.run(45_000);
  expect(state()).toHaveProperty('running');
  expect(told()).toEqual(
    expect.arrayContaining([
      'Pulling Pulling image "late:1" (2)',
      'Failed Failed to pull image "late:1": rpc error: code = NotFound desc = no such image (1)',
      'Failed Failed to pull image "late:1": rpc error: code = NotFound desc = still none (1)',
      'Failed Error: ErrImagePull (2)',
    ]),
  );
});

it('hours of an image that never comes is told no more than a recorder lets through, and is counted all the same', async () => {
  await start();
  await pod('p', { image: 'nosuch:1' }, { images: 'nosuch:1 always fails NotFound "no such image"' });
  await cluster.run(2 * 3_600_000);
  const reports = cluster.appends.flatMap(({ events }) =>
    events.filter(({ type, data }) => type === 'Reported' && data.resource === 'pods'),
  );
  const perType = 26 + (2 * 3_600) / 300;
  expect(reports.length).toBeLessThanOrEqual(2 * perType);
  const backOffs = reports.filter(({ data }) => data.reason === 'BackOff').map(({ data }) => data.count as number);
  expect(Math.max(...backOffs)).toBeGreaterThan(450);
});

it('a container whose environment refers to nothing waits until a sync finds it', async () => {
  await start();
  const env = [{ name: 'V', valueFrom: { configMapKeyRef: { name: 'cfg', key: 'k' } } }];
  await pod('p', { env });
  await cluster.run(3_000);
  expect(state()).toEqual(waiting('CreateContainerConfigError', 'configmap "cfg" not found'));
  await configMap('cfg', { other: '1' });
  await cluster.run(20_000);
  expect(state()).toEqual(waiting('CreateContainerConfigError', "couldn't find key k in ConfigMap default/cfg"));
  await cluster.simulation.delete('configmaps', 'default', 'cfg');
  await configMap('cfg', { k: 'v' });
  expect(state()).not.toHaveProperty('running');
  await cluster.run(20_000);
  expect(state()).toHaveProperty('running');
});

it.each<[what: string, container: JsonObject, spec: JsonObject, expected: string | undefined]>([
  ['a secret', { env: [{ name: 'V', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }, {}, 'secret "s" not found'],
  ['a whole ConfigMap', { envFrom: [{ configMapRef: { name: 'all' } }] }, {}, 'configmap "all" not found'],
  ['what may be missing', { envFrom: [{ secretRef: { name: 's', optional: true } }] }, {}, undefined],
  ['no root', { securityContext: { runAsNonRoot: true } }, {}, 'container has runAsNonRoot and image will run as root'],
  ['no root, as another user', { securityContext: { runAsUser: 1000 } }, { securityContext: { runAsNonRoot: true } }, undefined],
  [
    'no root, as root',
    { securityContext: { runAsUser: 0 } },
    { securityContext: { runAsNonRoot: true } },
    "container's runAsUser breaks non-root policy",
  ],
])('a container that asks for %s', async (_what, container, spec, expected) => {
  await start();
  await pod('p', container, { images: 'app:1 user 0' }, spec);
  await cluster.run(3_000);
  const place = / \(pod: "p_default\(\S+\)", container: app\)$/;
  const { reason, message = '' } = (state().waiting ?? {}) as { reason?: string; message?: string };
  expect(message.replace(place, '')).toBe(expected ?? '');
  expect(reason).toBe(expected === undefined ? undefined : 'CreateContainerConfigError');
});

it('a pod whose volume cannot be mounted has no sandbox yet; the waits between attempts double', async () => {
  await start();
  const volumes = [{ name: 'v', configMap: { name: 'cfg', items: [{ key: 'k', path: 'k' }] } }];
  await pod('p', { volumeMounts: [{ name: 'v', mountPath: '/v' }] }, {}, { volumes });
  await cluster.run(9_000);
  expect(state()).toEqual(waiting('ContainerCreating'));
  expect(statusOf(cluster.get('p') as KubeObject).podIP).toBeUndefined();
  expect(told()).toEqual(['FailedMount MountVolume.SetUp failed for volume "v" : configmap "cfg" not found (5)']);
  await configMap('cfg', { k: 'v' });
  await cluster.run(5_000);
  expect(state()).toEqual(waiting('ContainerCreating'));
  await cluster.run(3_000);
  expect(state()).toHaveProperty('running');
});

it('a volume that no container mounts is not waited for', async () => {
  await start();
  await pod('p', {}, {}, { volumes: [{ name: 'v', secret: { secretName: 's' } }] });
  await cluster.run(1_000);
  expect(state()).toHaveProperty('running');
});

it('a sandbox that cannot be made twice, then can', async () => {
  await start();
  await pod('p', {}, { 'sandbox-fails': 'no network', 'sandbox-fails-times': '2' });
  await cluster.run(16_000);
  expect(state()).toEqual(waiting('ContainerCreating'));
  const text = 'FailedCreatePodSandBox Failed to create pod sandbox: rpc error: code = Unknown desc = no network (2)';
  expect(told()).toEqual([text]);
  await cluster.run(16_000);
  expect(state()).toHaveProperty('running');
  expect(told()).toEqual([text]);
});

it('a container that the runtime does not create once is created by the next sync', async () => {
  await start();
  await pod('p', {}, { 'app.fail-create': 'no space', 'app.fail-create-times': '2' });
  await cluster.run(2_000);
  expect(state()).toEqual(waiting('CreateContainerError', 'no space'));
  expect(told()).toContain('Failed Error: no space (2)');
  await cluster.run(15_000);
  expect(state()).toHaveProperty('running');
});

it('a container that the runtime cannot start counts as one that has ended, and is made anew with waits', async () => {
  await start();
  await pod('p', {}, { 'app.fail-start': 'no such file', 'app.fail-start-times': '2' });
  await cluster.run(1_000);
  expect(state()).toEqual(waiting('RunContainerError', 'no such file'));
  const status = statusOf(cluster.get('p') as KubeObject);
  expect(status).toMatchObject({
    phase: 'Running',
    containerStatuses: [{ restartCount: 0, ready: false, containerID: expect.any(String) }],
  });
  const terminated = { exitCode: 128, reason: 'StartError', message: 'no such file', startedAt: '1970-01-01T00:00:00Z' };
  expect(status.containerStatuses?.[0]?.lastState).toMatchObject({ terminated });
  await cluster.run(2_000);
  expect(statusOf(cluster.get('p') as KubeObject).containerStatuses?.[0]?.restartCount).toBe(1);
  expect(state()).not.toHaveProperty('running');
  await cluster.run(15_000);
  expect(state()).toHaveProperty('running');
  expect(statusOf(cluster.get('p') as KubeObject).containerStatuses?.[0]?.restartCount).toBe(2);
});

it.each<[what: string, container: JsonObject, annotations: Record<string, string>, phase: string, ended: object]>([
  ['that cannot be started', {}, { 'app.fail-start': 'no such file' }, 'Failed', { exitCode: 128, reason: 'StartError' }],
  [
    'whose hook after the start fails',
    { lifecycle: { postStart: { exec: { command: ['hook'] } } } },
    { 'app.exec.hook': 'exit 1 takes 1s' },
    'Succeeded',
    { exitCode: 0, reason: 'Completed' },
  ],
])('a container that is never restarted, and %s, ends its pod', async (_what, container, annotations, phase, terminated) => {
  await start();
  await pod('p', container, annotations, { restartPolicy: 'Never' });
  await cluster.run(5_000);
  expect(statusOf(cluster.get('p') as KubeObject)).toMatchObject({ phase, containerStatuses: [{ state: { terminated } }] });
});

it.each<[what: string, httpGet: JsonObject, error: RegExp]>([
  ['nothing listens', { path: 'x', port: 80 }, /^Get "http:\/\/(10\.\S+):80\/x": dial tcp \1:80: connect: connection refused$/],
  ['no port has the name', { path: '/x', port: 'web' }, /^strconv\.Atoi: parsing "web": invalid syntax$/],
])('a hook after the start that asks over HTTP where %s fails with that', async (_what, httpGet, error) => {
  await start();
  await pod('p', { lifecycle: { postStart: { httpGet } } }, { 'app.tcp.80': 'closed' });
  await cluster.run(500);
  const { message = '' } = state().waiting as { message?: string };
  expect(message.replace(/^HTTP lifecycle hook \(\/?x\) for Container "app" in Pod "p_default\(\S+\)" failed - error: /, '')).toMatch(
    error,
  );
});

it('a container that ends while its hook after the start goes on is found to have ended when that is through', async () => {
  await start();
  const lifecycle = { postStart: { exec: { command: ['hook'] } } };
  await pod('p', { lifecycle }, { 'app.runs': '2s exit 1; forever', 'app.exec.hook': 'takes 4s' });
  await cluster.run(20_000);
  const [first, second] = startsOf('p');
  expect([first, second].map((each) => each?.restartCount ?? 0)).toEqual([0, 1]);
  const { state: now, lastState } = statusOf(cluster.get('p') as KubeObject).containerStatuses?.[0] ?? {};
  const seconds = (text: unknown): number => Date.parse(text as string) / 1_000;
  expect(seconds(lastState?.terminated?.finishedAt) - seconds(lastState?.terminated?.startedAt)).toBe(2);
  expect(seconds(now?.running?.startedAt) - seconds(lastState?.terminated?.startedAt)).toBeGreaterThanOrEqual(4);
});

it('secrets to pull images with that are not there are told of, and the pull is tried all the same', async () => {
  await start();
  await pod('p', {}, {}, { imagePullSecrets: [{ name: 'here' }, { name: 'gone' }] });
  await cluster.simulation.put('secrets', { metadata: { name: 'here', namespace: 'default', uid: 's' } } as never);
  await cluster.run(1_000);
  expect(state()).toHaveProperty('running');
  expect(told()).toEqual([
    'FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (gone); attempting to pull the image may not succeed. (2)',
  ]);
});

it('a kubelet that crashes goes on with the same attempts', async () => {
  const tell = async (crashAt: number | undefined): Promise<string> => {
    await start();
    await pod('p', { image: 'nosuch:1' }, { images: 'nosuch:1 always fails NotFound "no such image"' });
    await cluster.run(crashAt ?? 20_000);
    if (crashAt !== undefined) {
      await cluster.restart();
      await cluster.run(20_000 - crashAt);
    }
    await cluster.run(60_000);
    return JSON.stringify(cluster.changes('p').flatMap(({ at, object }) => (at > 10_000 ? [[at, object.status]] : [])));
  };
  expect(await tell(7_300)).toBe(await tell(undefined));
});
