import { spawn, type ChildProcess } from 'node:child_process';
import { plainEnvironment, type RunningCluster } from '../e2e/running-cluster';

/** What nobody wants to find in the log of a component: kinds that are not served, informers that do not get what they ask for. */
const complaint =
  /^[EWF]\d{4} .*(Failed to (list|watch)|could not find the requested resource|timed out waiting for|panic|is forbidden|unable to decode)/;

/** A component of Kubernetes' own control plane, running against a cluster. */
export class Component {
  private child: ChildProcess | undefined;
  log = '';

  constructor(
    private readonly binary: string,
    readonly cluster: RunningCluster,
    private readonly flags: readonly string[],
  ) {}

  start(): void {
    const { kubeconfig } = this.cluster;
    const flags = [
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--v=2',
      ...this.flags,
    ];
    this.child = spawn(this.binary, flags, { env: plainEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
    this.child.stderr?.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
  }

  /** What it complains of; its end, too. */
  get complaints(): string[] {
    const lines = this.log.split('\n').filter((line) => complaint.test(line));
    const code = this.child?.exitCode;
    return code === null || code === undefined ? lines : [...lines, `it ended with ${code}: ${this.log.slice(-2000)}`];
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}
