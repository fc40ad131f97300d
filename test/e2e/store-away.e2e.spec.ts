import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { connectEventStoreDb } from '#libs/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEventStoreServer } from '#apps/event-store';
import { Wire } from '../../apps/event-store/src/testing/wire';
import { cli, eventually, kubereel, RunningCluster } from './running-cluster';

const configMaps = '/api/v1/namespaces/default/configmaps';

let folder = '';
beforeEach(() => (folder = RunningCluster.temporaryFolder()));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an event store that is not there', () => {
  for (const flags of [[], ['--split']]) {
    it(`is told at once, with what to do${flags.length > 0 ? ', also with --split' : ''}`, async () => {
      const { code, stderr } = await kubereel([
        'up',
        '--data',
        folder,
        '--event-store',
        'esdb://admin:secret@127.0.0.1:1?tls=false',
        ...flags,
      ]);
      expect(code).toBe(1);
      expect(stderr).toContain('esdb://admin@127.0.0.1:1?tls=false: the event store cannot be reached: connect ECONNREFUSED 127.0.0.1:1');
      expect(stderr).toContain('kubereel event-store --port 2113');
      expect(stderr).not.toMatch(/\n\s+at /);
    });
  }

  it('is told by questions about its log', async () => {
    for (const question of [['log'], ['verify'], ['why', 'pod/x']]) {
      const { code, stderr } = await kubereel([...question, '--event-store', 'esdb://127.0.0.1:1?tls=false']);
      expect(code).toBe(1);
      expect(stderr).toContain('ECONNREFUSED');
    }
  });
});

describe('an app that is started by itself', () => {
  it('waits for its event store, and says so', async () => {
    const first = await startEventStoreServer({ port: 0 });
    const { port } = first;
    await first.close();
    const env = { ...process.env, NODE_OPTIONS: '', KUBEREEL_EVENT_STORE: first.connectionString };
    const app = spawn(process.execPath, [join(cli, '..', '..', '..', 'scheduler', 'src', 'main.js')], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    app.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually('it waits', () => output.includes('waiting for it'));
    const store = await startEventStoreServer({ port });
    const log = connectEventStoreDb(store);
    await eventually('it has started', async () => (await log.head({ streamPrefixes: ['local.controller-decisions'] })) !== undefined);
    expect(output.match(/waiting for it/g)).toHaveLength(1);
    const ended = new Promise((resolve) => app.once('exit', resolve));
    app.kill('SIGTERM');
    await ended;
    await log.close();
    await store.close();
  });
});

describe('an event store that goes and comes back', () => {
  for (const flags of [[], ['--split']]) {
    it(`is one line each on the terminal${flags.length > 0 ? ', from the API server when each app is a process' : ''}`, async () => {
      const store = await startEventStoreServer({ port: 0 });
      const wire = new Wire(store.port);
      await wire.open();
      const cluster = await RunningCluster.start(folder, '--event-store', wire.connectionString, ...flags);
      await cluster.create(configMaps, { metadata: { name: 'before' } });
      await wire.close();
      await eventually('not ready', async () => (await cluster.get('/readyz')).code === 500);
      await eventually('it is said', () => cluster.output.includes('writes fail until it is back'));
      expect((await cluster.get(`${configMaps}/before`)).code).toBe(200);
      await wire.open();
      await eventually('ready', async () => (await cluster.get('/readyz')).code === 200);
      await cluster.create(configMaps, { metadata: { name: 'after' } });
      await eventually('it is said', () => cluster.output.includes('can be used again'));
      expect(cluster.output.match(/writes fail until it is back/g)).toHaveLength(1);
      expect(cluster.output.match(/can be used again/g)).toHaveLength(1);
      await cluster.stop();
      await wire.close();
      await store.close();
    });
  }
});
