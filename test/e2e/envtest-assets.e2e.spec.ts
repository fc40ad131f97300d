import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { get as getSecurely, type RequestOptions } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually, kubereel, plainEnvironment } from './running-cluster';

const folder = mkdtempSync(join(tmpdir(), 'kubereel-assets-'));
const assets = join(folder, 'a folder of assets');
const started: ChildProcess[] = [];

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = plainEnvironment()): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(join(assets, file), args, { env }, (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }));
  });
}

function start(file: string, ...args: string[]): ChildProcess {
  const child = spawn(join(assets, file), args, { env: plainEnvironment(), stdio: ['ignore', 'ignore', 'inherit'] });
  started.push(child);
  return child;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Status of a GET; undefined: nobody listens. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const ask = url.startsWith('https') ? (getSecurely as typeof get) : get;
    const options: RequestOptions = { rejectUnauthorized: false };
    ask(url, options, (response) => resolve(response.resume().statusCode)).on('error', () => resolve(undefined));
  });
}

const ended = (child: ChildProcess): Promise<number | null> => eventually('it has ended', () => child.exitCode ?? undefined);

async function startEtcd(dataDir: string): Promise<{ etcd: ChildProcess; etcdUrl: string }> {
  const etcdUrl = `http://127.0.0.1:${await freePort()}`;
  const etcd = start(
    'etcd',
    `--data-dir=${dataDir}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    '--unsafe-no-fsync=true',
  );
  await eventually('etcd is healthy', async () => (await statusOf(`${etcdUrl}/health`)) === 200);
  return { etcd, etcdUrl };
}

async function startApiserver(etcdUrl: string, ...more: string[]): Promise<{ apiserver: ChildProcess; url: string }> {
  const port = await freePort();
  const certificates = join(folder, `certificates-${port}`);
  mkdirSync(certificates);
  const flags = [`--etcd-servers=${etcdUrl}`, `--cert-dir=${certificates}`, `--secure-port=${port}`, '--bind-address=127.0.0.1'];
  const apiserver = start(
    'kube-apiserver',
    ...flags,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged',
    ...more,
  );
  const url = `https://127.0.0.1:${port}`;
  await eventually('the API server is healthy', async () => (await statusOf(`${url}/healthz`)) === 200);
  return { apiserver, url };
}

beforeAll(async () => {
  const { code, stdout } = await kubereel(['envtest-assets', assets]);
  expect(code).toBe(0);
  expect(stdout).toBe(`export KUBEBUILDER_ASSETS='${assets}'\n`);
  return () => rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

describe('the files', () => {
  it.each(['kube-apiserver', 'etcd', 'kubectl'])('%s can be executed', (name) => {
    expect(statSync(join(assets, name)).mode & 0o777).toBe(0o755);
  });

  it('tell their flags, as a suite asks for them', async () => {
    expect((await run('kube-apiserver', ['--help'])).stdout).toMatch(/^\s*--service-account-issuer\b/m);
    expect((await run('kube-apiserver', ['--help'])).stdout).not.toMatch(/^\s*--insecure-port\b/m);
    expect((await run('etcd', ['--help'])).stdout).toMatch(/^\s*--unsafe-no-fsync\b/m);
  });

  it.each([
    [['--no-such-flag=1'], 'unknown flag: --no-such-flag'],
    [['--secure-port'], 'flag needs an argument: --secure-port'],
    [['--secure-port=7443'], '--etcd-servers must be specified'],
    [['--etcd-servers=http://127.0.0.1:1'], "is no etcd of kubereel's"],
  ])('refuse %j', async (flags, text) => {
    const { code, stderr } = await run('kube-apiserver', flags);
    expect(code).toBe(1);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('    at ');
  });

  it('lead to whichever kubectl there is, and say where there is none', async () => {
    const other = join(folder, 'bin');
    mkdirSync(other);
    writeFileSync(join(other, 'kubectl'), '#!/bin/sh\necho "another kubectl $1"\n', { mode: 0o755 });
    expect(await run('kubectl', ['version'], { PATH: `${assets}:${other}` })).toEqual({
      code: 0,
      stdout: 'another kubectl version\n',
      stderr: '',
    });
    const { code, stderr } = await run('kubectl', ['version'], { PATH: assets });
    expect([code, stderr]).toEqual([127, expect.stringContaining('kubectl: there is none in PATH')]);
  });
});

describe('an API server started like this', () => {
  it('is there again with all that it had, when it alone is restarted', async () => {
    const dataDir = join(folder, 'again');
    const { etcdUrl } = await startEtcd(dataDir);
    const first = await startApiserver(etcdUrl);
    first.apiserver.kill('SIGTERM');
    expect(await ended(first.apiserver)).toBe(0);
    const second = await startApiserver(etcdUrl);
    second.apiserver.kill('SIGTERM');
    expect(await ended(second.apiserver)).toBe(0);
    const data = join(dataDir, 'kubereel');
    const { stdout } = await kubereel(['log', '--data', data, '-o', 'json', '--type', 'ClusterCreated', 'ProcessStarted']);
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types.toSorted()).toEqual(['ClusterCreated', 'ProcessStarted', 'ProcessStarted']);
    expect((await kubereel(['verify', '--data', data])).code).toBe(0);
  });

  it('lets nobody in without a certificate or a token', async () => {
    const { etcdUrl } = await startEtcd(join(folder, 'closed'));
    const { url } = await startApiserver(etcdUrl);
    expect(await statusOf(`${url}/version`)).toBe(200);
    expect(await statusOf(`${url}/api/v1/namespaces`)).toBe(403);
  });

  it('shows its log to its owner alone', async () => {
    const dataDir = join(folder, 'private');
    const { etcdUrl } = await startEtcd(dataDir);
    await startApiserver(etcdUrl);
    expect(statSync(join(dataDir, 'kubereel')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'kubereel', 'kubereel.json')).mode & 0o777).toBe(0o600);
  });

  it('ends when who started it is killed, and so does the etcd', async () => {
    const { etcdUrl } = await startEtcd(join(folder, 'orphans'));
    const [port, etcdPort] = [await freePort(), await freePort()];
    const script = `'${assets}/etcd' --data-dir='${folder}/orphan' --listen-client-urls=http://127.0.0.1:${etcdPort} &
      '${assets}/kube-apiserver' --etcd-servers=${etcdUrl} --cert-dir='${folder}/orphan-certificates' --secure-port=${port} & wait`;
    const parent = spawn('sh', ['-c', script], { env: plainEnvironment(), stdio: ['ignore', 'ignore', 'inherit'] });
    started.push(parent);
    await eventually('both are there', async () => {
      const statuses = await Promise.all([statusOf(`https://127.0.0.1:${port}/healthz`), statusOf(`http://127.0.0.1:${etcdPort}/health`)]);
      return statuses.every((status) => status === 200);
    });
    parent.kill('SIGKILL');
    await eventually('both are gone', async () => {
      const statuses = await Promise.all([statusOf(`https://127.0.0.1:${port}/healthz`), statusOf(`http://127.0.0.1:${etcdPort}/health`)]);
      return statuses.every((status) => status === undefined);
    });
    expect(parent.signalCode).toBe('SIGKILL');
  });
});
