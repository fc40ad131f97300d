import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { SimulatedCluster, startOfTime } from '../simulated-cluster.fixture';

let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await SimulatedCluster.start();
  await cluster.node('node-1');
  await cluster.run(0);
});
/** Whatever happened, the kubelets decide it once more. */
afterEach(async () => {
  const { differ, notDerivable, differences } = await cluster.verify();
  expect({ differ, notDerivable, differences }).toEqual({ differ: 0, notDerivable: 0, differences: [] });
});

interface Given {
  does?: Record<string, string>;
  spec?: Record<string, unknown>;
}

async function start(container: Record<string, unknown>, { does = {}, spec = {} }: Given = {}): Promise<void> {
  const annotations = Object.fromEntries(Object.entries(does).map(([key, value]) => [`kubereel.dev/${key}`, value]));
  const containers = [{ name: 'app', image: 'app:1', ...container }];
  await cluster.pod({ name: 'web', annotations, spec: { nodeName: 'node-1', containers, ...spec } });
}

const exec = (word: string, more: object = {}): object => ({ exec: { command: [word] }, ...more });
const restart = (): Promise<unknown> => cluster.simulation.record('kubelet-decisions', [fact('KubeletRestarted', { node: 'node-1' })]);

interface AppStatus {
  started: boolean;
  ready: boolean;
  restartCount: number;
  state: Record<string, unknown>;
}

const appOf = ({ status = {} }: KubeObject): AppStatus => (status.containerStatuses as AppStatus[])[0] as AppStatus;

/** `ms started/ready`, of the container as the pod's status had it each time that was otherwise. */
function courseOf(): string[] {
  const course: string[] = [];
  for (const { at, object } of cluster.changes('web')) {
    if (!object.status?.containerStatuses) continue;
    const { started, ready, restartCount } = appOf(object);
    const text = `${started ? 'started' : 'not started'}, ${ready ? 'ready' : 'not ready'}, run ${restartCount}`;
    if (course.at(-1)?.endsWith(`: ${text}`)) continue;
    course.push(`${at}: ${text}`);
  }
  return course;
}

/** The kubelet's Events about probes: `REASON xCOUNT MESSAGE`, as they are in the end. */
function eventsOf(): string[] {
  const last = new Map<string, string>();
  for (const { events } of cluster.appends) {
    for (const { type, data } of events) {
      if (type !== 'Reported' || !['Unhealthy', 'Killing', 'ProbeWarning'].includes(data.reason as string)) continue;
      last.set(data.message as string, `${data.reason as string} x${data.count as number} ${data.message as string}`);
    }
  }
  return [...last.values()].sort();
}

describe('readiness', () => {
  it('follows the answers, with its thresholds', async () => {
    await start(
      { readinessProbe: exec('ready', { periodSeconds: 2, failureThreshold: 2 }) },
      { does: { 'app.exec.ready': 'exit 1 err "not yet"; from 5s exit 0; from 10s exit 1 err "broken"; from 20s exit 0' } },
    );
    await cluster.run(60_000);
    expect(courseOf()).toEqual([
      '0: not started, not ready, run 0',
      '300: started, not ready, run 0',
      '5300: started, ready, run 0',
      '13300: started, not ready, run 0',
      '21300: started, ready, run 0',
    ]);
    expect(eventsOf()).toEqual(['Unhealthy x3 Readiness probe failed: not yet', 'Unhealthy x6 Readiness probe failed: broken']);
  });

  it('is in the same append as the start where it succeeds at once', async () => {
    await start({ readinessProbe: { httpGet: { port: 80 } } });
    await cluster.run(60_000);
    expect(cluster.story('web')).toEqual(['Created@0', 'PodAcceptedByKubelet@0', 'ContainerStarted@300', 'PodBecameReady@300']);
  });

  it('goes on while the pod ends', async () => {
    await start(
      { readinessProbe: exec('ready', { periodSeconds: 1, failureThreshold: 1 }) },
      { does: { 'app.exec.ready': 'exit 0; from 3s exit 1', 'app.on-term': 'takes 8s' } },
    );
    await cluster.run(1_500);
    await cluster.delete('web');
    await cluster.run(3_000);
    expect(courseOf().slice(1)).toEqual(['300: started, ready, run 0', '3300: started, not ready, run 0']);
  });

  it('that fails for ever writes as much as the filter of Events lets through', async () => {
    await start({ readinessProbe: exec('ready', { periodSeconds: 1 }) }, { does: { 'app.exec.ready': 'exit 1' } });
    await cluster.run(30_000);
    const before = cluster.appends.length;
    await cluster.run(3_600_000);
    expect(cluster.appends.length - before).toBeLessThanOrEqual(12);
    const [count] = /\d+/.exec(eventsOf()[0] ?? '') ?? [];
    expect(Number(count)).toBeGreaterThan(3_300);
  });
});

describe('a startup probe', () => {
  it('holds back the others until it succeeds', async () => {
    const every = { periodSeconds: 1, failureThreshold: 30 };
    await start(
      {
        startupProbe: exec('up', every),
        readinessProbe: exec('ready', every),
        livenessProbe: exec('live', { periodSeconds: 1, failureThreshold: 1 }),
      },
      {
        does: {
          'app.exec.up': 'exit 1; from 5s exit 0',
          'app.exec.ready': 'exit 1 err "no"; from 8s exit 0',
          'app.exec.live': 'exit 1; from 5s exit 0',
        },
      },
    );
    await cluster.run(60_000);
    expect(courseOf()).toEqual(['0: not started, not ready, run 0', '6000: started, not ready, run 0', '9000: started, ready, run 0']);
    expect(eventsOf()).toEqual(['Unhealthy x3 Readiness probe failed: no', 'Unhealthy x5 Startup probe failed: ']);
  });

  it('that does not succeed in time has the container restarted', async () => {
    await start({ startupProbe: exec('up', { periodSeconds: 1, failureThreshold: 4 }) }, { does: { 'app.exec.up': 'exit 1' } });
    await cluster.run(6_000);
    expect(courseOf().slice(1)).toEqual(['4400: not started, not ready, run 1']);
    expect(eventsOf()).toContain('Killing x1 Container app failed startup probe, will be restarted');
  });
});

describe('a liveness probe that fails', () => {
  const does = { 'app.exec.live': 'exit 0; from 5s exit 1 out "stuck"' };
  const livenessProbe = exec('live', { periodSeconds: 2, failureThreshold: 2 });

  it('has the container restarted at once, and told of', async () => {
    await start({ livenessProbe }, { does });
    await cluster.run(12_000);
    expect(courseOf().slice(1)).toEqual(['300: started, ready, run 0', '8400: started, ready, run 1']);
    expect(eventsOf()).toEqual([
      'Killing x1 Container app failed liveness probe, will be restarted',
      'Unhealthy x2 Liveness probe failed: stuck',
    ]);
  });

  it('leaves the pod to its end where nothing is restarted', async () => {
    await start({ livenessProbe }, { does, spec: { restartPolicy: 'Never' } });
    await cluster.run(12_000);
    expect(cluster.get('web')?.status?.phase).toBe('Succeeded');
    expect(eventsOf()).toContain('Killing x1 Stopping container app');
  });

  it('gives the container the grace of the probe', async () => {
    const probe = { ...livenessProbe, terminationGracePeriodSeconds: 3 };
    await start({ livenessProbe: probe }, { does: { ...does, 'app.on-term': 'ignore' } });
    await cluster.run(12_000);
    const { lastState } = appOf(cluster.get('web') as KubeObject) as AppStatus & { lastState: { terminated: object } };
    expect(lastState.terminated).toMatchObject({ exitCode: 137, finishedAt: '2026-01-01T00:00:11Z' });
  });

  it('is of no consequence once the pod is to go', async () => {
    await start({ livenessProbe }, { does: { ...does, 'app.on-term': 'takes 20s' } });
    await cluster.run(7_000);
    await cluster.delete('web');
    await cluster.run(15_000);
    expect(eventsOf()).toEqual(['Unhealthy x1 Liveness probe failed: stuck']);
    expect(appOf(cluster.get('web') as KubeObject).state.running).toBeDefined();
  });

  it('is not asked once the pod is to go, also by a kubelet that looks at it late for the first time', async () => {
    await start({ livenessProbe }, { does: { ...does, 'app.on-term': 'takes 20s' } });
    await cluster.run(2_000);
    await cluster.delete('web');
    await cluster.run(100);
    await cluster.simulation.restart([]);
    await cluster.run(12_000);
    await cluster.restart();
    await cluster.run(3_000);
    expect(appOf(cluster.get('web') as KubeObject).state.running).toBeDefined();
    expect(eventsOf()).toEqual([]);
  });

  it('of a sidecar has only that restarted', async () => {
    const side = { name: 'side', image: 'side:1', restartPolicy: 'Always', livenessProbe };
    await start({}, { does: { 'side.exec.live': does['app.exec.live'] }, spec: { initContainers: [side] } });
    await cluster.run(12_000);
    const { containerStatuses, initContainerStatuses } = (cluster.get('web') as KubeObject).status as Record<
      string,
      { restartCount: number }[]
    >;
    expect([containerStatuses?.[0]?.restartCount, initContainerStatuses?.[0]?.restartCount]).toEqual([0, 1]);
    expect(eventsOf()).toContain('Killing x1 Init container side failed liveness probe');
  });
});

describe('a command that looks at what the container itself has done', () => {
  const script = 'touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600';
  const probe = { exec: { command: ['cat', '/tmp/healthy'] }, initialDelaySeconds: 5, periodSeconds: 5 };

  it('ends the container of the documentation when it has lost its file', async () => {
    await start({ image: 'busybox', args: ['/bin/sh', '-c', script], livenessProbe: probe });
    await cluster.run(50_000);
    expect(courseOf().slice(1)).toEqual(['300: started, ready, run 0', '45400: started, ready, run 1']);
    expect(eventsOf()).toEqual([
      'Killing x1 Container app failed liveness probe, will be restarted',
      "Unhealthy x3 Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory\n",
    ]);
  });

  it('succeeds where its program, or what the container runs, is not simulated', async () => {
    await start({ command: ['postgres'], readinessProbe: { exec: { command: ['cat', '/tmp/ready'] } }, livenessProbe: exec('pg_isready') });
    await cluster.run(60_000);
    expect(courseOf()).toEqual(['0: not started, not ready, run 0', '300: started, ready, run 0']);
  });
});

describe('a kubelet that begins anew', () => {
  it('asks every container again before it says that it is ready', async () => {
    await start({ readinessProbe: exec('ready', { periodSeconds: 4 }) });
    await cluster.run(10_000);
    await restart();
    await cluster.run(10_000);
    const [, before, during, after, ...rest] = courseOf();
    expect([before, during, rest]).toEqual(['300: started, ready, run 0', '10000: started, not ready, run 0', []]);
    const readyAt = Number.parseInt(after ?? '', 10);
    expect(readyAt).toBeGreaterThan(10_000);
    expect(readyAt).toBeLessThan(14_000);
  });
});

it('gives the same story, wherever the kubelet app crashes in it', async () => {
  const story = async (crashesAt: number[]): Promise<string[]> => {
    cluster = await SimulatedCluster.start();
    await cluster.node('node-1');
    await start(
      { readinessProbe: exec('ready', { periodSeconds: 1 }), livenessProbe: exec('live', { periodSeconds: 3 }) },
      { does: { 'app.exec.ready': 'exit 1 err "a"; from 2s exit 0; from 4s exit 1 err "b"', 'app.exec.live': 'exit 0; from 8s exit 1' } },
    );
    const told: string[] = [];
    let at = 0;
    for (const crash of [...crashesAt, 40_000]) {
      await cluster.run(crash - at);
      at = crash;
      told.push(...storyOf());
      if (crash !== 40_000) await cluster.restart();
    }
    return told;
  };
  const undisturbed = await story([]);
  expect(undisturbed.some((line) => line.includes('Killing'))).toBe(true);
  expect(await story([100, 1_300, 2_900, 4_301, 9_000, 15_000, 15_050, 15_100, 20_000])).toEqual(undisturbed);
});

/** What was written since the kubelet app last began, with ms since the start. */
function storyOf(): string[] {
  return cluster.appends.flatMap(({ events, time }) =>
    events
      .filter(({ type, data }) => data.container !== undefined || type === 'Reported' || type === 'PodBecameReady')
      .map(({ type, data }) => `${time - startOfTime} ${type} ${String(data.reason ?? '')} ${String(data.count ?? '')}`),
  );
}
