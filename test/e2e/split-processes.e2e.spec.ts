import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EventReader } from '#libs/cluster-state';
import { connectEventStoreDb, openEmbeddedLog, type RecordedEvent } from '#libs/event-log';
import { cli, eventually, RunningCluster } from './running-cluster';

const pod = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'app:1' }] },
});
const pods = '/api/v1/namespaces/default/pods';

/** Processes whose environment names the folder: those of the cluster in it, however they were started. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8') + readFileSync(`/proc/${entry}/environ`, 'utf8');
      return words.includes(folder) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}

const nobodyIsLeft = (folder: string): Promise<true> =>
  eventually('no process of the cluster is left', () => processesOf(folder).length === 0 || undefined);

describe('apps as processes of their own', () => {
  let cluster: RunningCluster | undefined;
  afterEach(async () => {
    await cluster?.stop();
    cluster?.remove();
    cluster = undefined;
  });

  async function events(folder: string): Promise<RecordedEvent[]> {
    const log = await openEmbeddedLog({ folder: join(folder, 'log'), readOnly: true });
    const all: RecordedEvent[] = [];
    const reader = new EventReader();
    for await (const page of log.readAll()) all.push(...page.map((event) => reader.read(event)));
    await log.close();
    return all;
  }

  describe('leave nobody behind', () => {
    /** Starts a cluster and gives it as soon as so many processes of it are there, ready or not. */
    async function starting(folder: string, processes: number): Promise<ChildProcess> {
      const child = fork(cli, ['up', '--data', folder, '--port', '0', '--split'], {
        execArgv: [],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      await eventually('the processes are there', () => processesOf(folder).length >= processes || undefined);
      return child;
    }

    for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
      for (const processes of [1, 2, 5, 8]) {
        it(`${signal} while starting, when there are ${processes} processes`, async () => {
          const folder = RunningCluster.temporaryFolder();
          const child = await starting(folder, processes);
          const ended = new Promise((resolve) => child.once('exit', resolve));
          child.kill(signal);
          await ended;
          await nobodyIsLeft(folder);
          expect(processesOf(folder)).toEqual([]);
        });
      }
    }

    for (const signals of [['SIGKILL'], ['SIGINT', 'SIGINT'], ['SIGTERM']] as NodeJS.Signals[][]) {
      it(`${signals.join(' and ')} when it runs`, async () => {
        cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--split');
        const { pid = 0 } = cluster.ready() ?? {};
        for (const signal of signals) process.kill(pid, signal);
        await nobodyIsLeft(cluster.folder);
        expect(processesOf(cluster.folder)).toEqual([]);
      });
    }
  });

  it('run by one clock, as fast as they were told', async () => {
    const speed = 1_000;
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--split', '--clock', `×${speed}`);
    await cluster.create(pods, pod('a'));
    await eventually('the pod runs', async () => (await cluster?.pods())?.[0]?.status.phase === 'Running');
    await cluster.stop();
    const all = await events(cluster.folder);
    const began = all[0]?.created ?? 0;
    const writers = new Map<string, number[]>();
    for (const { metadata, created } of all) {
      const app = String(metadata.writer).replace(/-[^-]*$/, '');
      // When this writer's clock and the wall clock were the same: a clock at real speed gives no such moment near the start.
      const origin = created - ((metadata.time as number) - created) / (speed - 1);
      writers.set(app, [...(writers.get(app) ?? []), origin]);
    }
    expect([...writers.keys()].sort()).toEqual([
      'apiserver',
      'controller-manager',
      'kubelet',
      'pdb-controller',
      'priority-admission',
      'scheduler',
    ]);
    const latest = all[all.length - 1] as RecordedEvent;
    expect((latest.metadata.time as number) - latest.created).toBeGreaterThan((speed / 10) * (latest.created - began));
    const origins = [...writers.values()].flat();
    // An event is stored some time after its writer has looked at the clock; what the speed would make of two origins is far more.
    expect(Math.max(...origins) - Math.min(...origins)).toBeLessThan(latest.created - began + 10_000);
  });

  it('tell the user when one of them was started again', async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--split');
    const before = cluster.ready()?.apps.scheduler as number;
    process.kill(before, 'SIGKILL');
    await eventually('the line', () => cluster?.output.includes('scheduler'));
    expect(cluster.output.split('\n').filter((line) => line.includes('scheduler'))).toEqual([
      expect.stringMatching(/^kubereel: scheduler was ended by SIGKILL; it was started again and was away for \d+\.\d s$/),
    ]);
  });

  describe('keep their store to themselves', () => {
    /** A read by somebody who found the port. */
    async function readBy(connectionString: string): Promise<string> {
      const log = connectEventStoreDb({ connectionString, giveUpAfterMs: 1 });
      try {
        for await (const page of log.readAll()) return `read ${page.length} events`;
        return 'read nothing';
      } catch (error) {
        return (error as Error).message;
      } finally {
        await log.close();
      }
    }

    it('who names no password or a wrong one is refused; nothing secret is on a command line or open to others', async () => {
      cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--split');
      const apps = cluster.ready()?.apps ?? {};
      const commandLines = Object.values(apps).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'));
      const store = commandLines.find((words) => words.includes('event-store')) as string[];
      const port = store[store.indexOf('--port') + 1];
      const secure = `tls=true&tlsCAFile=${encodeURIComponent(join(cluster.folder, 'ca.crt'))}`;
      expect(await readBy(`esdb://127.0.0.1:${port}?${secure}`)).toMatch(/refused/);
      expect(await readBy(`esdb://admin:changeit@127.0.0.1:${port}?${secure}`)).toMatch(/refused/);
      expect(await readBy(`esdb://127.0.0.1:${port}?tls=false`)).not.toMatch(/^read/);

      const password = /esdb:\/\/admin:([^@]+)@/.exec(readFileSync(`/proc/${apps.scheduler}/environ`, 'utf8'))?.[1] as string;
      expect(await readBy(`esdb://admin:${password}@127.0.0.1:${port}?${secure}`)).toMatch(/^read [1-9]/);
      expect(commandLines.flat().filter((word) => word.includes(password))).toEqual([]);
      for (const file of ['options.json', 'store.key', 'store.crt', 'ca.crt', 'kubereel.json', 'log/commits']) {
        expect(`${file} ${(statSync(join(cluster.folder, file)).mode & 0o777).toString(8)}`).toBe(`${file} 600`);
      }
    });
  });
});
