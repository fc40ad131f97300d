import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { cli, eventually, type ReadyFile } from '../e2e/running-cluster';
import type { Place } from './pipeline';

/** `kubereel up` in a process whose memory can be measured: Node's inspector collects its garbage on demand. */
export class MeasuredServer {
  output = '';

  private constructor(
    readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(flags: readonly string[]): Promise<MeasuredServer> {
    if (!existsSync(cli)) throw new Error('dist is not built: npm run build');
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-fuzz-'));
    const args = [
      '--inspect=127.0.0.1:0',
      cli,
      'up',
      '--data',
      folder,
      '--port',
      '0',
      '--ready-file',
      join(folder, 'ready.json'),
      ...flags,
    ];
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new MeasuredServer(folder, child);
    const keep = (chunk: Buffer): void => {
      server.output = (server.output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    await eventually('the cluster is ready', () => {
      if (server.hasEnded) throw new Error(`kubereel up has ended: ${server.output}`);
      return existsSync(join(folder, 'ready.json'));
    });
    server.inspector = /ws:\/\/\S+/.exec(server.output)?.[0] ?? '';
    return server;
  }

  private inspector = '';

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  get place(): Place {
    const ready = JSON.parse(readFileSync(join(this.folder, 'ready.json'), 'utf8')) as ReadyFile;
    const { hostname, port } = new URL(ready.url);
    const config = parse(readFileSync(ready.kubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
    return { host: hostname, port: Number(port), token: config.users[0]?.user.token ?? '' };
  }

  /** Memory that the process takes, MB. */
  get rssMb(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }

  /** What is left on its heap after a collection of garbage, MB. */
  async heapMb(): Promise<number> {
    const socket = new WebSocket(this.inspector);
    await new Promise((resolve) => socket.once('open', resolve));
    let last = 0;
    const ask = (method: string): Promise<{ usedSize: number }> =>
      new Promise((resolve) => {
        const id = ++last;
        socket.on('message', (data: Buffer) => {
          const answer = JSON.parse(data.toString()) as { id?: number; result: { usedSize: number } };
          if (answer.id === id) resolve(answer.result);
        });
        socket.send(JSON.stringify({ id, method }));
      });
    await ask('HeapProfiler.collectGarbage');
    const { usedSize } = await ask('Runtime.getHeapUsage');
    socket.close();
    return Math.round(usedSize / 1024 / 1024);
  }

  /** Resolves to the exit code. */
  async stop(): Promise<number | null> {
    if (this.hasEnded) return this.child.exitCode;
    const ended = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    return ended;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
