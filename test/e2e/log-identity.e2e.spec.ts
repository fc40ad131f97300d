import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEventStoreServer } from '#apps/event-store';
import { kubereel, RunningCluster } from './running-cluster';

const configMaps = '/api/v1/namespaces/default/configmaps';

let folder = '';
let other = '';

beforeEach(() => {
  folder = RunningCluster.temporaryFolder();
  other = RunningCluster.temporaryFolder();
});

afterEach(() => {
  for (const each of [folder, other]) rmSync(each, { recursive: true, force: true });
});

/** A cluster that has lived for a moment. */
async function lived(where: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const cluster = await RunningCluster.start(where);
  await cluster.create(configMaps, { metadata: { name: 'kept' } });
  await cluster.stop(signal);
}

const up = (where: string): ReturnType<typeof kubereel> => kubereel(['up', '--data', where, '--port', '0']);

describe('a data folder and its log', () => {
  it('belong together: the log of another cluster is refused, and both are named', async () => {
    await lived(folder);
    await lived(other);
    rmSync(join(folder, 'log'), { recursive: true });
    cpSync(join(other, 'log'), join(folder, 'log'), { recursive: true });
    const { code, stderr } = await up(folder);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /belongs to a log with event [0-9a-f-]{36} at position \d+; the log that is there now begins or goes on with event [0-9a-f-]{36}/,
    );
    expect(stderr).toContain(`kubereel reset --data ${folder}`);
  });

  it('an emptied log is no new cluster', async () => {
    await lived(folder);
    rmSync(join(folder, 'log'), { recursive: true });
    const { code, stderr } = await up(folder);
    expect(code).toBe(1);
    expect(stderr).toContain('the log that is there now has no event there');
  });

  it('a log that ends before what was seen of it is refused', async () => {
    await lived(folder);
    cpSync(join(folder, 'log'), join(other, 'log'), { recursive: true });
    const cluster = await RunningCluster.start(folder);
    await cluster.create(configMaps, { metadata: { name: 'later' } });
    await cluster.stop();
    rmSync(join(folder, 'log'), { recursive: true });
    cpSync(join(other, 'log'), join(folder, 'log'), { recursive: true });
    const { code, stderr } = await up(folder);
    expect(code).toBe(1);
    expect(stderr).toContain('belongs to a log with event');
  });

  it('a killed cluster whose write-ahead log is gone is refused, naming the file', async () => {
    await lived(folder, 'SIGKILL');
    rmSync(join(folder, 'log', 'log.sqlite-wal'));
    const { code, stderr } = await up(folder);
    expect(code).toBe(1);
    expect(stderr).toContain('log.sqlite-wal');
    expect(stderr).not.toContain(' at ');
  });
});

describe('a data folder without snapshots', () => {
  it('remembers its log all the same, with each app a process of its own', async () => {
    const cluster = await RunningCluster.start(folder, '--split', '--no-snapshots');
    await cluster.stop();
    expect(readdirSync(folder)).toContain('log.json');
    expect(readdirSync(folder)).not.toContain('snapshots');
    rmSync(join(folder, 'log'), { recursive: true });
    const { code, stderr } = await kubereel(['up', '--split', '--data', folder, '--port', '0']);
    expect(code).toBe(1);
    expect(stderr).toContain('the log that is there now has no event there');
  });
});

describe('a snapshot', () => {
  it('that cannot be written is said, and the cluster ends as it should', async () => {
    writeFileSync(join(folder, 'snapshots'), 'in the way');
    const cluster = await RunningCluster.start(folder);
    expect(await cluster.stop()).toBe(0);
    expect(cluster.output).toContain('no snapshot was written');
    expect((await kubereel(['verify', '--data', folder])).stdout).toContain('decisions made again: all agree');
  });

  it('of another log is not used, and that is said', async () => {
    await lived(folder);
    await lived(other);
    rmSync(join(folder, 'snapshots'), { recursive: true });
    cpSync(join(other, 'snapshots'), join(folder, 'snapshots'), { recursive: true });
    expect(readdirSync(join(folder, 'snapshots'))).not.toEqual([]);
    const cluster = await RunningCluster.start(folder);
    expect(cluster.output).toContain('is of another log and not used');
    const made = (await cluster.get(`${configMaps}/kept`)).body.metadata.uid;
    await cluster.stop();
    rmSync(join(folder, 'snapshots'), { recursive: true });
    const again = await RunningCluster.start(folder);
    expect((await again.get(`${configMaps}/kept`)).body.metadata.uid).toBe(made);
    await again.stop();
    expect((await kubereel(['verify', '--data', folder])).stdout).toContain('decisions made again: all agree');
  });
});

describe('a running cluster whose store is replaced by another', () => {
  for (const flags of [[], ['--split']]) {
    it(`ends, naming both logs${flags.length > 0 ? ', with each app a process of its own' : ''}`, async () => {
      const store = await startEventStoreServer({ port: 0 });
      const cluster = await RunningCluster.start(folder, '--event-store', store.connectionString, ...flags);
      await cluster.create(configMaps, { metadata: { name: 'kept' } });
      const { port } = new URL(store.connectionString);
      await store.close();
      const replacement = await startEventStoreServer({ port: Number(port) });
      const code = await cluster.ended();
      await replacement.close();
      expect(code).toBe(1);
      expect(cluster.output).toMatch(
        /the event log is not the one that was followed: that has event [0-9a-f-]{36} at position \d+, this one has/,
      );
      expect(cluster.output).toContain('nothing more is written');
    });
  }
});
