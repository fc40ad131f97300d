import { execFile, fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** Where package.json is, seen from the sources and from what is built of them. */
const root =
  [join(__dirname, '..', '..'), join(__dirname, '..', '..', '..')].find((folder) => existsSync(join(folder, 'package.json'))) ?? '';
/** What is built of the sources. */
export const dist = join(root, 'dist');
export const cli = join(dist, 'apps', 'cli', 'src', 'main.js');

/** The test runner's own settings (it runs the sources) are not the program's. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return env;
}

export interface ReadyFile {
  url: string;
  kubeconfig: string;
  pid: number;
  apps: Record<string, number>;
}

export interface Answer {
  code: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
}

/** How long a condition may take before the test fails. */
const patienceMs = 60_000;

/** Tries until something comes back; conditions are awaited, never slept for. */
export async function eventually<T>(
  what: string,
  attempt: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = patienceMs,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await attempt();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** `kubereel up` as a user starts it, in a data folder of its own. */
export class RunningCluster {
  private agent = new Agent({ keepAlive: true });
  private token = '';
  private ca = Buffer.alloc(0);
  output = '';

  private constructor(
    readonly folder: string,
    private readonly flags: string[],
    private child: ChildProcess,
  ) {}

  static temporaryFolder(): string {
    return mkdtempSync(join(tmpdir(), 'kubereel-test-'));
  }

  static start(folder: string, ...flags: string[]): Promise<RunningCluster> {
    return RunningCluster.startIn({}, folder, ...flags);
  }

  /** With more in its environment. */
  static async startIn(environment: Record<string, string>, folder: string, ...flags: string[]): Promise<RunningCluster> {
    if (!existsSync(cli)) throw new Error('dist is not built: npm run build');
    rmSync(join(folder, 'ready.json'), { force: true });
    const child = fork(cli, ['up', '--data', folder, '--port', '0', '--ready-file', join(folder, 'ready.json'), ...flags], {
      execArgv: [],
      env: { ...plainEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const cluster = new RunningCluster(folder, flags, child);
    child.stdout?.on('data', (chunk: Buffer) => (cluster.output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (cluster.output += chunk.toString()));
    await eventually('the cluster is ready', () => {
      if (child.exitCode !== null) throw new Error(`kubereel up ended with ${child.exitCode}: ${cluster.output}`);
      return cluster.ready();
    });
    if (cluster.ready()?.url) {
      const config = parse(readFileSync(cluster.kubeconfig, 'utf8')) as {
        clusters: { cluster: Record<string, string> }[];
        users: { user: { token: string } }[];
      };
      cluster.ca = Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64');
      cluster.token = config.users[0]?.user.token ?? '';
      cluster.agent = new Agent({ keepAlive: true, ca: cluster.ca });
      await eventually(
        'the default service account',
        async () => (await cluster.get('/api/v1/namespaces/default/serviceaccounts/default')).code === 200 || !cluster.makesAccounts,
      );
    }
    return cluster;
  }

  /** Its controller manager runs, and not only a part of it. */
  private get makesAccounts(): boolean {
    const apps = this.flags[this.flags.indexOf('--apps') + 1];
    return (
      this.ready()?.apps['controller-manager'] !== undefined && !(this.flags.includes('--apps') && apps?.includes('controller-manager/'))
    );
  }

  /** The ready file, once it is there. */
  ready(): ReadyFile | undefined {
    try {
      return JSON.parse(readFileSync(join(this.folder, 'ready.json'), 'utf8')) as ReadyFile;
    } catch {
      return undefined;
    }
  }

  get kubeconfig(): string {
    return this.ready()?.kubeconfig ?? join(this.folder, 'kubeconfig');
  }

  /** Where the API is served, and what lets one in. */
  get url(): string {
    return this.ready()?.url ?? '';
  }

  get bearer(): string {
    return this.token;
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const url = new URL(this.ready()?.url ?? '');
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent: this.agent,
          host: url.hostname,
          port: url.port,
          method,
          path,
          headers: {
            authorization: `Bearer ${this.token}`,
            accept: 'application/json',
            // Node sends the body of a DELETE without its length unless it is told.
            ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const answer = Buffer.concat(chunks).toString('utf8');
            try {
              resolve({ code: response.statusCode ?? 0, body: JSON.parse(answer) });
            } catch {
              resolve({ code: response.statusCode ?? 0, body: answer });
            }
          });
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }

  /** An answer that comes line by line, such as a watch; `ended` is called once, whatever ends it. Returns how to break it off. */
  lines(method: string, path: string, line: (text: string) => void, ended: () => void): () => void {
    const url = new URL(this.ready()?.url ?? 'https://127.0.0.1:1');
    const sent = request(
      { ca: this.ca, agent: false, host: url.hostname, port: url.port, method, path, headers: { authorization: `Bearer ${this.token}` } },
      (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          const parts = (rest + chunk).split('\n');
          rest = parts.pop() ?? '';
          parts.forEach(line);
        });
        response.on('error', () => undefined);
      },
    );
    sent.on('error', () => undefined);
    sent.on('close', ended);
    sent.end();
    return () => sent.destroy();
  }

  /** A create that has to succeed. */
  async create(path: string, object: object): Promise<Answer['body']> {
    const { code, body } = await this.call('POST', path, object);
    if (code !== 201) throw new Error(`POST ${path}: ${code} ${JSON.stringify(body)}`);
    return body;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async pods(): Promise<any[]> {
    return (await this.get('/api/v1/pods')).body.items;
  }

  /** Ctrl-C, and the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.agent.destroy();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const ended = new Promise<number | null>((resolve) => this.child.once('exit', (code) => resolve(code)));
    this.child.kill(signal);
    return ended;
  }

  /** The exit code, once it has ended by itself. */
  ended(): Promise<number | null> {
    if (this.child.exitCode !== null) return Promise.resolve(this.child.exitCode);
    return new Promise((resolve) => this.child.once('exit', (code) => resolve(code)));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. */
export function run(
  program: string,
  args: string[],
  options: { env?: Record<string, string>; input?: string; timeoutMs?: number } = {},
): Promise<Output> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { env: { ...plainEnvironment(), ...options.env }, timeout: options.timeoutMs ?? patienceMs, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        const code = error ? ((error as { code?: number }).code ?? 1) : 0;
        resolve({ code: typeof code === 'number' ? code : 1, stdout, stderr });
      },
    );
    child.stdin?.end(options.input ?? '');
  });
}

export function kubereel(args: string[], env: Record<string, string> = {}, timeoutMs?: number): Promise<Output> {
  return run(process.execPath, [cli, ...args], { env, timeoutMs });
}

/** kubectl of a minor version, on PATH or beside it; undefined when there is none. */
export function findKubectl(minor: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    const plain = join(folder, 'kubectl');
    if (!existsSync(plain)) continue;
    const beside = dirname(realpathSync(plain));
    const found = readdirSync(beside).find((name) => name === `kubectl.${minor}` || name === `kubectl-${minor}`);
    if (found) return join(beside, found);
  }
  return undefined;
}
