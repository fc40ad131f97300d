import { spawn, type ChildProcess } from 'node:child_process';
import { plainEnvironment } from '../e2e/running-cluster';
import { environmentOf } from './program';
import type { Surroundings } from './client';

/** An operator as its users run it: a process of its own beside the cluster, which it reaches through a line that can be cut. */
export class Operator {
  private child: ChildProcess | undefined;
  log = '';

  constructor(
    private readonly command: readonly string[],
    readonly surroundings: Surroundings,
    /** Lines of its log that nobody wants to find there. */
    private readonly complaint: RegExp,
  ) {}

  start(): void {
    const [program = '', ...args] = this.command;
    const environment = environmentOf(this.surroundings);
    this.child = spawn(program, args, {
      cwd: this.surroundings.folder,
      env: { ...plainEnvironment(), ...environment, KUBECONFIG: environment.LINE_KUBECONFIG },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
  }

  /** What it complains of; its end, too. */
  get complaints(): string[] {
    const lines = this.log.split('\n').filter((line) => this.complaint.test(line));
    const code = this.child?.exitCode;
    return code === null || code === undefined ? lines : [...lines, `it ended with ${code}: ${this.log.slice(-2000)}`];
  }

  /** Without a chance to say goodbye. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}

/** Plays checks with an operator that runs meanwhile; what fails is told with the end of its log. */
export async function withOperator<T>(operator: Operator, play: () => Promise<Map<string, T>>): Promise<Map<string, T | string>> {
  operator.start();
  try {
    const outcomes: Map<string, T | string> = await play();
    for (const [name, why] of outcomes)
      if (why !== undefined) outcomes.set(name, `${String(why)}\nits log ends:\n${operator.log.slice(-3000)}`);
    return outcomes;
  } finally {
    await operator.kill();
  }
}
