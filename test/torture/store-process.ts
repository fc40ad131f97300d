import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { cli, eventually } from '../e2e/running-cluster';

/** `kubereel event-store` in a process of its own, that goes away and comes back. */
export class StoreProcess {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(folder: string): Promise<StoreProcess> {
    const store = new StoreProcess(folder, await freePort());
    await store.start();
    return store;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  async start(): Promise<void> {
    let ready = false;
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = fork(cli, ['event-store', '--quiet', '--port', String(this.port), '--data', this.folder], { execArgv: [], env });
    child.on('message', () => (ready = true));
    this.child = child;
    await eventually(
      'the store is ready',
      () => ready || (child.exitCode !== null && Promise.reject(new Error('the store does not start'))),
    );
  }

  /** `killed`: gone at once, as a process that crashes. `frozen`: its connections stand, and nobody answers on them. */
  goAway(how: 'killed' | 'frozen'): void {
    this.child?.kill(how === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  }

  async comeBack(how: 'killed' | 'frozen'): Promise<void> {
    if (how === 'frozen') this.child?.kill('SIGCONT');
    else await this.start();
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
