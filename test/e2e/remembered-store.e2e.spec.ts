import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificates } from '#libs/app-shell/certificates';
import { startEventStoreServer, type EventStoreServer } from '#apps/event-store';
import { kubereel, run, RunningCluster } from './running-cluster';

const password = 'pa55-never-kept';
const pod = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'app:1' }] },
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name as string))
    .filter((path) => statSync(path).isFile());
}

describe('a cluster on an event store with a password', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-remember-'));
  const caFile = join(folder, 'ca.crt');
  const urlFile = join(folder, 'store-url');
  const data = join(folder, 'first');
  const other = join(folder, 'second');
  let server: EventStoreServer;
  let address: string;
  let url: string;

  beforeAll(async () => {
    const { ca, certificate, privateKey } = await createCertificates({ hosts: ['localhost', '127.0.0.1'], now: Date.now() });
    writeFileSync(caFile, ca);
    server = await startEventStoreServer({
      host: 'localhost',
      tls: { certificate, key: privateKey },
      users: [{ name: 'admin', password }],
    });
    const rest = `localhost:${server.port}?tls=true&tlsCAFile=${encodeURIComponent(caFile)}`;
    address = `esdb://admin@${rest}`;
    url = `esdb://admin:${password}@${rest}`;
    writeFileSync(urlFile, `${url}\n`);
    for (const name of [data, other]) mkdirSync(name);
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is remembered by its folder, without the password', async () => {
    const cluster = await RunningCluster.start(data, '--event-store-file', urlFile);
    await cluster.create('/api/v1/namespaces/default/pods', pod('web'));
    await cluster.stop();
    expect(cluster.output).toContain(`new cluster on ${address}, its settings in ${data}\n`);
    expect(cluster.output).toMatch(/stopped; the data is in esdb:.*, resume it with: (npx )?kubereel up --data /);
    expect(filesBelow(data).filter((path) => readFileSync(path).includes(password))).toEqual([]);
    expect(JSON.parse(readFileSync(join(data, 'kubereel.json'), 'utf8'))).toMatchObject({ eventStore: address });
  });

  it('is asked by its folder; the password comes from the environment or a file', async () => {
    const withPassword = { KUBEREEL_EVENT_STORE: url };
    expect((await kubereel(['log', 'pod/web', '--data', data], withPassword)).stdout).toContain('Created');
    expect((await kubereel(['why', 'web', '--data', data, '--event-store-file', urlFile])).stdout).toMatch(/^pod default\/web\n/);
    const verified = await kubereel(['verify', '--data', data], withPassword);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toContain('decisions made again: all agree');
    const without = await kubereel(['verify', '--data', data]);
    expect(without.code).toBe(1);
    expect(without.stderr).toContain('asks for the password of admin');
    expect(without.stderr).toContain('KUBEREEL_EVENT_STORE, or in a file: --event-store-file FILE');
  });

  it('warns of a password on the command line, and never prints it', async () => {
    const { stdout, stderr, code } = await kubereel(['log', '--limit', '1', '--event-store', url]);
    expect(code).toBe(0);
    expect(stderr).toContain('can be read by everybody on this machine (ps)');
    expect(stdout + stderr).not.toContain(password);
    const wrong = await kubereel(['log', '--event-store', `http://admin:${password}@localhost`]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).not.toContain(password);
  });

  it('is resumed by its folder, and joined from another: by the chance of the cluster, so that verify agrees', async () => {
    process.env.KUBEREEL_EVENT_STORE = url;
    try {
      const again = await RunningCluster.start(data);
      expect((await again.pods()).map(({ metadata }) => metadata.name)).toEqual(['web']);
      await again.stop();
      const joined = await RunningCluster.start(other, '--seed', 'another');
      for (const name of ['a', 'b', 'c', 'd']) await joined.create('/api/v1/namespaces/default/pods', pod(name));
      await joined.stop();
      const verified = await kubereel(['verify', '--data', other]);
      expect(verified.stdout).toMatch(/digest chain whole\n\d+ decisions made again: all agree/);
    } finally {
      delete process.env.KUBEREEL_EVENT_STORE;
    }
  });

  it.each([[], ['--split']])('has its password on no command line (%s)', async (...flags) => {
    const cluster = await RunningCluster.start(data, '--event-store-file', urlFile, '--apps', 'apiserver,scheduler', ...flags);
    const { pid, apps } = cluster.ready() as { pid: number; apps: Record<string, number> };
    const pids = [...new Set([pid, ...Object.values(apps)])].join(',');
    const lines = (await run('ps', ['-ww', '-o', 'args=', '-p', pids])).stdout.trim().split('\n');
    expect(lines.length).toBe(flags.length === 0 ? 1 : 3);
    expect(lines.filter((line) => line.includes(password))).toEqual([]);
    await cluster.stop();
  });

  it('is not deleted with its folder, and that is said', async () => {
    const { stdout, code } = await kubereel(['reset', '--yes', '--data', other]);
    expect(code).toBe(0);
    expect(stdout).toContain(`The log itself stays in ${address}.`);
    expect((await kubereel(['log', 'pod/web', '--event-store-file', urlFile])).stdout).toContain('Created');
  });

  it('is not mixed up with a cluster whose log is in its folder', async () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    await (await RunningCluster.start(own, '--apps', 'apiserver')).stop();
    const refused = await kubereel(['up', '--data', own, '--port', '0'], { KUBEREEL_EVENT_STORE: url });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`KUBEREEL_EVENT_STORE is set, but the cluster in ${own} has its log in the folder`);
  });
});
