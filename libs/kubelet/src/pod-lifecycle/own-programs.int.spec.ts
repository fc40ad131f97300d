import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SimulatedCluster, startOfTime } from '../simulated-cluster.fixture';

let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await SimulatedCluster.start({ startupMs: 100 });
  await cluster.node('node-1');
  await cluster.run(0);
});
/** Whatever happened, the kubelets decide it once more. */
afterEach(async () => {
  const { differ, notDerivable, differences } = await cluster.verify();
  expect({ differ, notDerivable, differences }).toEqual({ differ: 0, notDerivable: 0, differences: [] });
});

const shell = (script: string, more: object = {}) => ({ name: 'app', image: 'busybox', command: ['sh', '-c', script], ...more });

async function start(name: string, containers: object[], more: object = {}, annotations?: Record<string, string>): Promise<void> {
  await cluster.pod({ name, spec: { nodeName: 'node-1', containers, ...more }, annotations });
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
const status = (name: string): any => cluster.get(name)?.status;
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const app = (name: string): any => status(name).containerStatuses[0];
const put = (resource: string, name: string, more: object): Promise<void> =>
  cluster.simulation.put(resource, {
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
    ...more,
  } as never);

describe('a container that runs a program', () => {
  it('ends with it', async () => {
    await start('echo', [{ name: 'app', image: 'busybox', args: ['echo', 'hi'] }], { restartPolicy: 'Never' });
    await start('fails', [shell('sleep 5; exit 3')], { restartPolicy: 'Never' });
    await cluster.run(2_000);
    expect(status('echo').phase).toBe('Succeeded');
    expect(app('echo').state.terminated).toMatchObject({ exitCode: 0, reason: 'Completed', containerID: app('echo').containerID });
    expect(status('fails').phase).toBe('Running');
    await cluster.run(5_000);
    expect(status('fails').phase).toBe('Failed');
    expect(app('fails').state.terminated).toMatchObject({
      exitCode: 3,
      reason: 'Error',
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:05Z',
    });
  });

  it('is restarted as its pod says, in CrashLoopBackOff at last', async () => {
    await start('always', [shell('exit 1')]);
    await start('on-failure', [shell('sleep 1; exit 0')], { restartPolicy: 'OnFailure' });
    await cluster.run(30_000);
    expect(app('always')).toMatchObject({
      restartCount: 2,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1 } },
    });
    expect(status('on-failure').phase).toBe('Succeeded');
  });

  it('goes through its init containers, with a sidecar beside', async () => {
    const initContainers = [
      { name: 'first', image: 'busybox', command: ['sleep', '3'] },
      { name: 'side', image: 'busybox', command: ['sleep', '3600'], restartPolicy: 'Always' },
    ];
    await start('all', [shell('sleep 2')], { restartPolicy: 'Never', initContainers });
    await cluster.run(2_000);
    expect(status('all').initContainerStatuses[0].state.running).toBeDefined();
    await cluster.run(5_000);
    expect(status('all').phase).toBe('Succeeded');
    expect(
      status('all').initContainerStatuses.map((each: { state: { terminated: { exitCode: number } } }) => each.state.terminated.exitCode),
    ).toEqual([0, 0]);
  });

  it('leaves a message where its pod says', async () => {
    await start('said', [shell('echo done > /dev/termination-log')], { restartPolicy: 'Never' });
    await start('own', [shell('echo here > /tmp/m; exit 1', { terminationMessagePath: '/tmp/m' })], { restartPolicy: 'Never' });
    const terminationMessagePolicy = 'FallbackToLogsOnError';
    await start('log', [shell('echo from the log; exit 1', { terminationMessagePolicy })], { restartPolicy: 'Never' });
    await cluster.run(1_000);
    expect(app('said').state.terminated.message).toBe('done\n');
    expect(app('own').state.terminated.message).toBe('here\n');
    expect(app('log').state.terminated.message).toBe('from the log\n');
  });

  it('goes on where it is a server, waits for its input, or has no end', async () => {
    await start('server', [shell('echo starting; exec nginx -g "daemon off;"')]);
    await start('none', [{ name: 'app', image: 'nginx' }]);
    await start('unknown', [{ name: 'app', image: 'app', command: ['/app'], args: ['echo'] }]);
    await start('typed', [{ name: 'app', image: 'busybox', stdin: true }]);
    await start('loop', [shell('while true; do date; sleep 1; done')]);
    await start('tail', [{ name: 'app', image: 'busybox', command: ['tail', '-f', '/dev/null'] }]);
    await cluster.run(1_000);
    const before = cluster.appends.length;
    await cluster.run(86_400_000);
    for (const name of ['server', 'none', 'unknown', 'typed', 'loop', 'tail'])
      expect([name, status(name).phase]).toEqual([name, 'Running']);
    expect(cluster.appends.length).toBe(before);
  });

  it('does what annotations say, where they speak of its runs', async () => {
    await start('long', [shell('exit 1')], { restartPolicy: 'Never' }, { 'kubereel.dev/run-for': '20s' });
    await start('code', [shell('sleep 1')], { restartPolicy: 'Never' }, { 'kubereel.dev/app.exit-code': '7' });
    await start('slow', [shell('exit 2')], { restartPolicy: 'Never' }, { 'kubereel.dev/startup': '4s' });
    await cluster.run(3_000);
    expect(status('long').phase).toBe('Running');
    expect(app('code').state.terminated.exitCode).toBe(7);
    expect(status('slow').phase).toBe('Pending');
    await cluster.run(30_000);
    expect(app('long').state.terminated.exitCode).toBe(0);
    expect(app('slow').state.terminated.exitCode).toBe(2);
  });
});

describe('a program that looks at the cluster', () => {
  const output = (name: string): string => {
    const [run] = cluster.simulation.state.decisions.programs.get(cluster.get(name)?.metadata.uid ?? '') ?? [];
    return (run?.output ?? []).map(([atMs, text]) => `${atMs}: ${text}`).join('');
  };

  it('is held to what it found when it ran', async () => {
    await put('configmaps', 'settings', { data: { mode: 'fast' } });
    const env = [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } }];
    await start('reads', [shell('echo $MODE; sleep 10; [ $MODE = fast ]', { env })], { restartPolicy: 'Never' });
    await cluster.run(1_000);
    await cluster.simulation.write({ verb: 'delete', target: { resource: 'configmaps', namespace: 'default', name: 'settings' } });
    await cluster.run(20_000);
    expect(status('reads').phase).toBe('Succeeded');
    expect(output('reads')).toBe('0: fast\n');
  });

  it('waits for a Service until somebody answers, also over a restart of the kubelets', async () => {
    await put('services', 'web', { spec: { clusterIP: '10.96.1.1', selector: { app: 'web' }, ports: [{ port: 80 }] } });
    await start('waits', [shell('until nc -z web 80; do echo waiting; sleep 2; done; echo found')], { restartPolicy: 'Never' });
    await cluster.run(60_000);
    expect(status('waits').phase).toBe('Running');
    await cluster.restart();
    await cluster.run(0);
    await cluster.pod({
      name: 'web',
      metadata: { labels: { app: 'web' } },
      spec: { nodeName: 'node-1', containers: [{ name: 'web', image: 'nginx' }] },
    });
    await cluster.run(4_000);
    expect(status('waits').phase).toBe('Succeeded');
    const ended = Date.parse(app('waits').state.terminated.finishedAt) - startOfTime;
    expect(ended).toBeGreaterThan(59_000);
    expect(ended).toBeLessThan(64_000);
    expect(output('waits')).toMatch(/^0: waiting\n2000: waiting\n4000: waiting\n(\d+: waiting\n)+62000: found\n$/);
  });

  it('is told before that there is no such host, where its Service came later', async () => {
    await start('waits', [shell('until wget -qO- web; do sleep 10; done')], { restartPolicy: 'Never' });
    await cluster.run(15_000);
    await cluster.pod({
      name: 'web',
      metadata: { labels: { app: 'web' } },
      spec: { nodeName: 'node-1', containers: [{ name: 'web', image: 'nginx' }] },
    });
    await cluster.run(6_000);
    const metadata = { name: 'web', namespace: 'default', uid: 'web', creationTimestamp: '2026-01-01T00:00:21Z' };
    await cluster.simulation.put('services', {
      metadata,
      spec: { clusterIP: '10.96.1.1', selector: { app: 'web' }, ports: [{ port: 80 }] },
    } as never);
    await cluster.run(30_000);
    expect(output('waits')).toMatch(
      /^(\d+0000: wget: bad address 'web'\n|0: wget: bad address 'web'\n){3}30000: pod default\/web is simulated/,
    );
  });

  it('asks when it comes to it: a Service that is there by then is found', async () => {
    await start('late', [shell('sleep 15; wget -qO- web')], { restartPolicy: 'Never' });
    await start('early', [shell('wget -q web; sleep 30; nslookup web || exit 4')], { restartPolicy: 'Never' });
    await start('never', [shell('for i in $(seq 3); do sleep 1; nslookup web && exit 0; done; exit 1')], { restartPolicy: 'Never' });
    const tries = 'for i in {1..100}; do sleep 1; if nslookup web; then exit 0; fi; done; exit 1';
    await start('tries', [{ name: 'app', image: 'debian', command: ['bash', '-c', tries] }], { restartPolicy: 'Never' });
    await cluster.run(5_000);
    expect(status('never').phase).toBe('Failed');
    expect(app('never').state.terminated).toMatchObject({ exitCode: 1, finishedAt: '2026-01-01T00:00:03Z' });
    await cluster.run(5_000);
    await cluster.pod({
      name: 'web',
      metadata: { labels: { app: 'web' } },
      spec: { nodeName: 'node-1', containers: [{ name: 'web', image: 'nginx' }] },
    });
    const metadata = { name: 'web', namespace: 'default', uid: 'web', creationTimestamp: '2026-01-01T00:00:10Z' };
    const spec = { clusterIP: '10.96.1.1', selector: { app: 'web' }, ports: [{ port: 80 }] };
    await cluster.simulation.put('services', { metadata, spec } as never);
    await cluster.run(10_000);
    expect(app('late').state.terminated).toMatchObject({ exitCode: 0, finishedAt: '2026-01-01T00:00:15Z' });
    expect(app('tries').state.terminated.exitCode).toBe(0);
    expect(app('tries').state.terminated.finishedAt).toMatch(/^2026-01-01T00:00:1[01]Z$/);
    expect(output('tries').match(/NXDOMAIN/g)?.length).toBeGreaterThan(7);
    expect(status('early').phase).toBe('Running');
    await cluster.simulation.delete('services', 'default', 'web');
    await cluster.run(30_000);
    expect(app('early').state.terminated).toMatchObject({ exitCode: 4 });
  });

  it('fails at once where nobody answers', async () => {
    await start('tests', [{ name: 'app', image: 'busybox', command: ['wget'], args: ['-qO-', 'web:80'] }], { restartPolicy: 'Never' });
    await cluster.run(2_000);
    expect(status('tests').phase).toBe('Failed');
    expect(output('tests')).toBe("0: wget: bad address 'web:80'\n");
  });

  it('is forgotten with its pod', async () => {
    await start('tests', [shell('wget -qO- web:80')]);
    await cluster.run(60_000);
    expect(cluster.simulation.state.decisions.programs.size).toBe(1);
    expect([...cluster.simulation.state.decisions.programs.values()][0]).toHaveLength(2);
    await cluster.delete('tests', 0);
    await cluster.run(1_000);
    expect(cluster.simulation.state.decisions.programs.size).toBe(0);
  });
});
