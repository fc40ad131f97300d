import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEventStoreServer, type EventStoreServer } from '#apps/event-store';
import { eventually, kubereel, RunningCluster } from './running-cluster';

interface LeadEvent {
  type: string;
  data: { app: string; holder: string; pid: number };
}

/** Two starts of one cluster on a store that both reach: what each does, and what the log says of it afterwards. */
describe('a second up on the same event store', { timeout: 180_000 }, () => {
  let store: EventStoreServer;
  let folder: string;
  let clusters: RunningCluster[];
  beforeEach(async () => {
    store = await startEventStoreServer({ port: 0 });
    folder = mkdtempSync(join(tmpdir(), 'kubereel-standby-'));
    clusters = [];
  });
  afterEach(async () => {
    for (const cluster of clusters) process.kill(cluster.ready()?.pid ?? 0, 'SIGCONT');
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (name: string, ...flags: string[]): Promise<RunningCluster> => {
    mkdirSync(join(folder, name));
    const cluster = await RunningCluster.start(join(folder, name), '--event-store', store.connectionString, ...flags);
    clusters.push(cluster);
    return cluster;
  };
  const end = async (cluster: RunningCluster): Promise<void> => {
    clusters.splice(clusters.indexOf(cluster), 1);
    await cluster.stop();
  };
  const pidOf = (cluster: RunningCluster): number => cluster.ready()?.pid as number;
  const createPods = (cluster: RunningCluster, prefix: string, count: number): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        cluster.create('/api/v1/namespaces/default/pods', {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `${prefix}-${i}` },
          spec: { containers: [{ name: 'c', image: 'app:1' }] },
        }),
      ),
    );
  const running = (cluster: RunningCluster, count: number): Promise<unknown> =>
    eventually(`${count} pods run`, async () => (await cluster.pods()).filter(({ status }) => status.phase === 'Running').length === count);
  const logged = async <T>(...types: string[]): Promise<T[]> => {
    const { stdout } = await kubereel(['log', '-o', 'json', '--event-store', store.connectionString, '--type', ...types]);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
  };
  const expectVerified = async (): Promise<void> => {
    const { code, stdout } = await kubereel(['verify', '--event-store', store.connectionString]);
    expect(`${code}\n${stdout}`).toMatch(/^0\n/);
    expect(stdout).toMatch(/events, digest chain whole\n\d+ decisions made again: all agree$/m);
  };

  it('stands by while the first leads, serves the API, and takes over when the first stops', async () => {
    const first = await start('first');
    expect((await logged<LeadEvent>('LeadershipTaken')).map(({ data }) => data.app).sort()).toEqual([
      'apiserver',
      'controller-manager',
      'kubelet',
      'pdb-controller',
      'priority-admission',
      'scheduler',
    ]);
    const second = await start('second', '--seed', 'drawn anew');
    await eventually('it says that it stands by', () => second.output.includes(`standing by: process ${pidOf(first)} on `));
    const starts = (await logged('ControllerStarted')).length;
    // The cluster did not stand still.
    expect((await logged<LeadEvent>('ClusterCreated', 'ClusterResumed')).map(({ type }) => type)).toEqual(['ClusterCreated']);
    await createPods(second, 'a', 30);
    await running(second, 30);
    await running(first, 30);
    // Nobody decides twice: no controller was started by the second.
    expect((await logged('ControllerStarted')).length).toBe(starts);
    await end(first);
    await eventually('it says that it leads', () => /leads .* from now on: process \d+ on \S+ has stopped/.test(second.output));
    await createPods(second, 'b', 10);
    await running(second, 40);
    expect((await logged<LeadEvent>('LeadershipTaken')).filter(({ data }) => data.pid === pidOf(second))).toHaveLength(6);
    await expectVerified();
  });

  it('takes over from one that was killed at once, and from one that is frozen when its lease is over; the frozen one gives way', async () => {
    const killed = await start('killed');
    const frozen = await start('frozen');
    await eventually('it stands by', () => frozen.output.includes('standing by'));
    process.kill(pidOf(killed), 'SIGKILL');
    clusters.splice(0, 1);
    await eventually('it leads', () => frozen.output.includes('has ended'));
    const third = await start('third');
    await eventually('the third stands by', () => third.output.includes('standing by'));
    await createPods(third, 'before', 10);
    process.kill(pidOf(frozen), 'SIGSTOP');
    await eventually('the lease is over', () =>
      /leads .*scheduler.* from now on: process \d+ on \S+ has not been heard of for 15 s/.test(third.output),
    );
    await createPods(third, 'after', 20);
    process.kill(pidOf(frozen), 'SIGCONT');
    await running(third, 30);
    await eventually('it gives way', () => /leads .* no more: process \d+ on /.test(frozen.output));
    await createPods(frozen, 'again', 10);
    await running(frozen, 40);
    await expectVerified();
  });

  it('with --split, each app stands by for its own', async () => {
    const first = await start('first', '--split');
    const second = await start('second', '--split');
    await eventually('its scheduler stands by', () =>
      /kubereel scheduler: standing by: process \d+ on \S+ leads scheduler;/.test(second.output),
    );
    const scheduler = first.ready()?.apps.scheduler as number;
    await createPods(second, 'a', 5);
    await running(second, 5);
    // Of two that could take the lead of a scheduler that was killed, one does: the one that waits, or the one that is started again.
    process.kill(scheduler, 'SIGKILL');
    await createPods(first, 'b', 20);
    await running(first, 25);
    await end(first);
    await createPods(second, 'c', 5);
    await running(second, 30);
    await expectVerified();
  });
});
