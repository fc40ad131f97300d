import { afterEach, describe, expect, it } from 'vitest';
import { EventReader } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { eventually, kubereel, RunningCluster } from '../e2e/running-cluster';
import { WallClock } from './wall-clock';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const configMaps = '/api/v1/namespaces/default/configmaps';

interface Told {
  position: number;
  time: number;
}

describe('a cluster whose wall clock is set', () => {
  let cluster: RunningCluster;
  let folder: string;
  afterEach(async () => {
    await cluster.stop();
    cluster.remove();
  });

  let wallClock: WallClock;
  const set = (offsetMs: number): void => wallClock.set(offsetMs);

  function begin(): void {
    folder = RunningCluster.temporaryFolder();
    wallClock = new WallClock(folder);
  }

  const start = (...flags: string[]): Promise<RunningCluster> => RunningCluster.startIn(wallClock.environment, folder, ...flags);
  const configMap = (name: string): Promise<unknown> => cluster.create(configMaps, { metadata: { name } });
  /** Whoever is asked to write looks at the clock. */
  const told = (what: RegExp): Promise<boolean> =>
    eventually(`${what} in: ${cluster.output}`, async () => {
      await cluster.call('POST', `${configMaps}?dryRun=All`, { metadata: { name: 'look' } });
      return what.test(cluster.output);
    });

  /** Position and cluster time of every event. */
  async function times(): Promise<Told[]> {
    const found: Told[] = [];
    const reader = new EventReader();
    for (let from: number | undefined = 0; from !== undefined;) {
      const { body } = await cluster.get(`/kubereel/log?from=${from}`);
      for (const { position, metadata } of body.events.map((event: RecordedEvent) => reader.read(event)))
        found.push({ position, time: metadata.time });
      from = body.next;
    }
    return found;
  }

  /** The names there were at a cluster time. */
  async function namesAt(time: number): Promise<string[]> {
    const { code, body } = await cluster.get(`/at/${new Date(time).toISOString()}${configMaps}`);
    expect(code).toBe(200);
    return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).filter((name: string) => name.startsWith('at-'));
  }

  async function web(): Promise<{ name: string; phase: string }[]> {
    return (await cluster.pods()).map(({ metadata, status }) => ({ name: metadata.name as string, phase: status.phase as string }));
  }

  async function runWeb(): Promise<void> {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'app:1' }] } };
    await cluster.create('/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'web' },
      spec: { replicas: 3, selector: { matchLabels: labels }, template },
    });
    await eventually('three pods run', async () => (await web()).filter(({ phase }) => phase === 'Running').length === 3);
  }

  it.each([
    ['in one process', []],
    ['each app a process of its own', ['--split']],
  ])('goes on as if nothing had happened: %s', { timeout: 120_000 }, async (_name, flags) => {
    begin();
    cluster = await start(...flags);
    await runWeb();
    const before = await web();
    await configMap('at-first');
    const [early] = (await times()).slice(-1) as [Told];
    set(-hourMs);
    await told(/the wall clock was set back by 1h: the cluster's time goes on without a jump/);
    await configMap('at-second');
    set(10 * dayMs);
    await told(/the wall clock was set forward by 10d1h/);
    await configMap('at-third');
    const afterSteps = Date.now();
    set(0);
    await told(/the wall clock was set back by 10d:/);
    await configMap('at-fourth');

    const all = await times();
    // Of several processes, each notices a step within a second, and what another one has just written a moment after that.
    const slackMs = flags.length > 0 ? 3_000 : 0;
    for (const [i, { time }] of all.entries()) if (i > 0) expect(time).toBeGreaterThanOrEqual((all[i - 1] as Told).time - slackMs);
    // Twice as fast at most, from the first event on.
    const [first] = all as [Told];
    expect((all[all.length - 1] as Told).time - first.time).toBeLessThan(2 * (afterSteps - first.time) + 60_000);
    expect(await namesAt(early.time)).toEqual(['at-first']);
    expect(await namesAt((all[all.length - 1] as Told).time)).toEqual(['at-first', 'at-fourth', 'at-second', 'at-third']);
    const middle = all[all.length >> 1] as Told;
    const { body } = await cluster.get(`/at/${new Date(middle.time).toISOString()}/api/v1/pods`);
    const latest = all.filter(({ time }) => time <= middle.time + slackMs).pop() as Told;
    const earliest = all.filter(({ time }) => time <= middle.time - slackMs).pop()?.position ?? 0;
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(Math.min(earliest, middle.position));
    expect(Number(body.metadata.resourceVersion)).toBeLessThanOrEqual(latest.position);
    expect(await web()).toEqual(before);
    const nodes = (await cluster.get('/api/v1/nodes')).body.items as {
      spec: { taints?: unknown };
      status: { conditions: { type: string; status: string }[] };
    }[];
    for (const { spec, status } of nodes) {
      expect(spec.taints).toBeUndefined();
      expect(status.conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
    }
    await cluster.stop();
    const verified = await kubereel(['verify', '--data', folder]);
    expect(verified.stdout).toMatch(/^\d+ decisions made again: all agree$/m);
  });

  it('that was wrong at one start goes on from there at the next, and says so', { timeout: 120_000 }, async () => {
    begin();
    set(10 * dayMs);
    cluster = await start();
    await runWeb();
    await configMap('at-first');
    const wrong = (await times()).slice(-1)[0] as Told;
    await cluster.stop();
    set(0);
    cluster = await start();
    expect(cluster.output).toMatch(
      /the cluster's time is (10d|9d23h) ahead of the wall clock: it goes on from there, a tenth slower until the two agree/,
    );
    await configMap('at-second');
    const now = (await times()).slice(-1)[0] as Told;
    expect(now.time).toBeGreaterThanOrEqual(wrong.time);
    expect(now.time - wrong.time).toBeLessThan(hourMs);
    expect((await web()).filter(({ phase }) => phase === 'Running')).toHaveLength(3);
    // What is begun now ends in time.
    await cluster.call('DELETE', `/api/v1/namespaces/default/pods/${(await web())[0]?.name}`);
    await eventually('another pod runs in its place', async () => (await web()).filter(({ phase }) => phase === 'Running').length === 3);
    expect(await namesAt(wrong.time)).toEqual(['at-first']);
  });
});
