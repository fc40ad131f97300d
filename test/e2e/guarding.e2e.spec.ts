import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, eventually, plainEnvironment, type ReadyFile } from './running-cluster';

interface Answered {
  code: number;
  text: string;
}

/** A cluster that is started by somebody whose files everybody may read and write. */
class CarelessCluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'kubereel-guarding-'));
  output = '';
  private child: ChildProcess | undefined;
  private identity = { token: '', ca: '' };
  private agent = new Agent();

  async start(...flags: string[]): Promise<this> {
    const words = ['up', '--data', this.folder, '--port', '0', '--nodes', '1', '--ready-file', this.readyFile, ...flags];
    const careless = ['-c', 'umask 000; exec "$0" "$@"', process.execPath, cli, ...words];
    this.child = spawn('/bin/sh', careless, { env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    await eventually('the cluster is ready', () => {
      if (this.child?.exitCode !== null) throw new Error(`it ended: ${this.output}`);
      return this.ready !== undefined;
    });
    this.identity = JSON.parse(readFileSync(join(this.folder, 'kubereel.json'), 'utf8'));
    this.agent = new Agent({ keepAlive: true, ca: this.identity.ca });
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await eventually('the default account', async () => (await this.ask('GET', account, this.bearer)).code === 200);
    return this;
  }

  get readyFile(): string {
    return join(this.folder, 'ready.json');
  }

  get ready(): ReadyFile | undefined {
    try {
      return JSON.parse(readFileSync(this.readyFile, 'utf8'));
    } catch {
      return undefined;
    }
  }

  get bearer(): { authorization: string } {
    return { authorization: `Bearer ${this.identity.token}` };
  }

  get token(): string {
    return this.identity.token;
  }

  get pids(): number[] {
    return [...new Set(Object.values(this.ready?.apps ?? {}))];
  }

  ask(method: string, path: string, headers: Record<string, string> = {}, body?: object): Promise<Answered> {
    const { hostname: host, port } = new URL(this.ready?.url ?? '');
    const text = body && JSON.stringify(body);
    const sent = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    return new Promise((resolve, reject) => {
      const asked = request({ agent: this.agent, host, port, method, path, headers: { ...sent, ...headers } }, (response) => {
        let heard = '';
        response.on('data', (chunk: Buffer) => (heard += chunk.toString()));
        response.on('end', () => resolve({ code: response.statusCode ?? 0, text: heard }));
      });
      asked.on('error', reject);
      asked.end(text);
    });
  }

  async end(): Promise<void> {
    this.agent.destroy();
    const gone = new Promise((resolve) => this.child?.once('exit', resolve));
    if (this.child?.exitCode === null && this.child.kill()) await gone;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface LoggedEvent {
  metadata: { actor?: string };
}

interface Discovered {
  items: {
    metadata: { name?: string };
    versions: { version: string; resources: { resource: string; scope: string; subresources?: { subresource: string }[] }[] }[];
  }[];
}

/** Paths of every kind that is served: of all objects, of one, and of each part of one that is asked for by itself. */
async function pathsOf(cluster: CarelessCluster): Promise<string[]> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const paths: string[] = [];
  for (const root of ['/api', '/apis']) {
    const { items } = JSON.parse((await cluster.ask('GET', root, { ...cluster.bearer, accept })).text) as Discovered;
    for (const { metadata, versions } of items)
      for (const { version, resources } of versions)
        for (const { resource, scope, subresources = [] } of resources) {
          const group = metadata.name ? `${root}/${metadata.name}` : root;
          const all = `${group}/${version}${scope === 'Namespaced' ? '/namespaces/default' : ''}/${resource}`;
          paths.push(all, `${all}/x`, ...subresources.map(({ subresource }) => `${all}/x/${subresource}`));
        }
  }
  return paths;
}

/** Addresses that processes listen on, as Linux tells them: `0100007F` is 127.0.0.1. */
function listening(pids: readonly number[]): string[] {
  const inodes = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
        } catch {
          return [];
        }
      }),
    ),
  );
  const lines = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1));
  const fields = lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode ?? ''));
  return fields.map(([, local = '']) => local.split(':')[0] as string);
}

/** What others than the owner may do with anything in a folder. The ready file holds no secret. */
function openDoors(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, mode: statSync(join(folder, name)).mode & 0o777 }))
    .filter(({ name, mode }) => name !== 'ready.json' && (mode & 0o077) !== 0)
    .map(({ name, mode }) => `${name} ${mode.toString(8)}`);
}

describe.runIf(process.platform === 'linux').each([
  ['in one process', []],
  ['as a process each', ['--split']],
])('a cluster whose apps run %s', (_, flags) => {
  const cluster = new CarelessCluster();
  beforeAll(() => cluster.start(...flags));
  afterAll(() => cluster.end());

  it('lets nobody write who has not said who he is, nor whoever says it wrongly', async () => {
    const paths = await pathsOf(cluster);
    expect(paths.length).toBeGreaterThan(150);
    const strangers: [Record<string, string>, number][] = [
      [{}, 403],
      [{ 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }, 403],
      [{ 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' }, 403],
      [{ authorization: `Basic ${Buffer.from(`admin:${cluster.token}`).toString('base64')}` }, 403],
      [{ authorization: `Bearer ${cluster.token.slice(0, -1)}` }, 401],
    ];
    const letIn: string[] = [];
    for (const [index, [headers, code]] of strangers.entries())
      for (const path of index === 0 ? paths : paths.filter((one) => /\/(?:pods|secrets|clusterroles|tokenreviews)(?:\/|$)/.test(one)))
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const answer = await cluster.ask(method, path, headers, { metadata: { name: 'x' } });
          if (answer.code !== code) letIn.push(`${method} ${path} ${JSON.stringify(headers)}: ${answer.code}`);
        }
    expect(letIn).toEqual([]);
    const { events } = JSON.parse((await cluster.ask('GET', '/kubereel/log', cluster.bearer)).text) as { events: LoggedEvent[] };
    const writers = events.map(({ metadata: { actor = '' } }) => actor);
    expect(writers).toContain('apiserver');
    expect(writers.filter((actor) => actor.startsWith('user:'))).toEqual([]);
  });

  it('tells its tokens to nobody: neither on the terminal nor in the list of processes', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const { text } = await cluster.ask('POST', account, cluster.bearer, { spec: {} });
    const { token } = (JSON.parse(text) as { status: { token: string } }).status;
    const wrong = 'a-token-that-somebody-mistyped';
    const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(wrong).toString('base64url')}, v4.channel.k8s.io`;
    const asks = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': protocol };
    const answers = [
      await cluster.ask('GET', '/api/v1/pods', { authorization: `Bearer ${wrong}` }),
      await cluster.ask('GET', '/api/v1/pods?watch=1', asks),
      await cluster.ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', cluster.bearer, { spec: { token: 'x'.repeat(20) } }),
    ];
    expect(answers.map(({ code }) => code)).toEqual([401, 401, 201]);
    expect(answers.filter((answer) => answer.text.includes(wrong))).toEqual([]);
    const secrets = [cluster.token, token, token.split('.')[2] as string, wrong, Buffer.from(wrong).toString('base64url')];
    const shown = [cluster.output, ...cluster.pids.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))];
    expect(shown.filter((one) => secrets.some((secret) => one.includes(secret)) || /PRIVATE KEY|:\/\/\w+:/.test(one))).toEqual([]);
  });

  it('keeps keys, and everything else, to its owner', () => {
    expect(readdirSync(cluster.folder)).toContain('service-account.key');
    expect(statSync(cluster.folder).mode & 0o077).toBe(0);
    expect(openDoors(cluster.folder)).toEqual([]);
  });

  it('is reached from this machine alone', () => {
    const addresses = listening(cluster.pids);
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.filter((address) => address !== '0100007F' && address !== '00000000000000000000000001000000')).toEqual([]);
  });
});
