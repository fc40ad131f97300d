import { afterEach, describe, expect, it } from 'vitest';
import { openEmbeddedLog, type RecordedEvent } from '#libs/event-log';
import { join } from 'node:path';
import { eventually, kubereel, RunningCluster } from './running-cluster';

/** A small generator with a seed, so that a failing run can be had again (xorshift32). */
function seeded(seed: number): (bound: number) => number {
  let state = seed || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

const seed = Number(process.env.KUBEREEL_CRASH_SEED ?? 20_261_120);
const killsMin = Number(process.env.KUBEREEL_CRASH_KILLS ?? 50);
const nodesCount = 50;
const slotsPerNode = 4;
const preemptionsCount = nodesCount * slotsPerNode;

function pod(name: string, priorityClassName?: string): object {
  const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '1' } } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations: { 'kubereel.dev/on-term': 'exit' } },
    spec: { containers, terminationGracePeriodSeconds: 5, ...(priorityClassName ? { priorityClassName } : {}) },
  };
}

describe('apps killed at random while they preempt', () => {
  let cluster: RunningCluster | undefined;
  afterEach(async () => {
    await cluster?.stop();
    cluster?.remove();
  });

  /** A client that tries again when the server is away: the name makes a create safe to repeat. */
  async function createSurely(path: string, object: object, until: () => boolean): Promise<void> {
    while (!until()) {
      const answer = await cluster?.call('POST', path, object).catch(() => undefined);
      if (answer?.code === 201 || answer?.code === 409) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  it(`loses nothing and doubles nothing over ${killsMin} kills (seed ${seed})`, { timeout: 600_000 }, async () => {
    const folder = RunningCluster.temporaryFolder();
    cluster = await RunningCluster.start(folder, '--split', '--nodes', `${nodesCount},cpu=${slotsPerNode},pods=20`);
    const random = seeded(seed);
    const pods = '/api/v1/namespaces/default/pods';
    await createSurely(
      '/apis/scheduling.k8s.io/v1/priorityclasses',
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
      () => false,
    );
    await Promise.all(Array.from({ length: preemptionsCount }, (_, i) => createSurely(pods, pod(`low-${i}`), () => false)));
    await eventually(
      'every slot is taken',
      async () => (await cluster?.pods())?.filter(({ status }) => status.phase === 'Running').length === preemptionsCount,
      240_000,
    );

    let kills = 0;
    let finished = false;
    /** One app after the other, at a random moment after the last one killed has come back: nothing is ever at rest for long. */
    const killing = (async () => {
      while (!finished || kills < killsMin) {
        await new Promise((resolve) => setTimeout(resolve, random(300)));
        const apps = Object.entries(cluster?.ready()?.apps ?? {});
        const [name, pid] = apps[random(apps.length)] as [string, number];
        process.kill(pid, 'SIGKILL');
        kills++;
        await eventually(`${name} has come back`, () => cluster?.ready()?.apps[name] !== pid);
      }
    })();
    for (let i = 0; i < preemptionsCount; i++) await createSurely(pods, pod(`high-${i}`, 'high'), () => false);
    finished = true;
    await killing;

    const bound = await eventually(
      'every high-priority pod runs, and no other is left',
      async () => {
        const all = await cluster?.pods().catch(() => undefined);
        const running = all?.filter(
          ({ metadata, spec, status }) => metadata.name.startsWith('high-') && spec.nodeName && status.phase === 'Running',
        ).length;
        return running === preemptionsCount && all?.length === preemptionsCount ? all : undefined;
      },
      240_000,
    );
    expect(kills).toBeGreaterThanOrEqual(killsMin);
    const perNode = new Map<string, number>();
    for (const { spec } of bound) perNode.set(spec.nodeName, (perNode.get(spec.nodeName) ?? 0) + 1);
    expect([...perNode.values()].every((count) => count <= slotsPerNode)).toBe(true);
    await cluster.stop();

    const counts = await countByStream(folder);
    for (let i = 0; i < preemptionsCount; i++) {
      expect(counts.get(`local.pods-default/high-${i} PodScheduled`), `bindings of high-${i}`).toBe(1);
      expect(counts.get(`local.pods-default/low-${i} PodPreempted`), `marks of low-${i}`).toBe(1);
      expect(counts.get(`local.pods-default/low-${i} Deleted`), `deletions of low-${i}`).toBe(1);
    }
    const verified = await kubereel(['verify', '--data', folder]);
    expect(`${verified.code}\n${verified.stdout}`).toMatch(/^0\n/);
    expect(verified.stdout).toMatch(/digest chain whole/);
    expect(verified.stdout).toMatch(/^\d+ decisions made again: all agree$/m);
  });
});

/** How many events of each type each stream has. */
async function countByStream(folder: string): Promise<Map<string, number>> {
  const log = await openEmbeddedLog({ folder: join(folder, 'log'), readOnly: true });
  const counts = new Map<string, number>();
  const count = ({ stream, type }: RecordedEvent): void => void counts.set(`${stream} ${type}`, (counts.get(`${stream} ${type}`) ?? 0) + 1);
  for await (const page of log.readAll()) page.forEach(count);
  await log.close();
  return counts;
}
