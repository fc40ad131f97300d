import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/** A program that runs beside a cluster while checks are played, and can be killed and started again. */
export class BackgroundProgram {
  private child: ChildProcess | undefined;
  /** What it has written so far, over all its lives. */
  log = '';

  constructor(
    private readonly command: readonly string[],
    private readonly options: Pick<SpawnOptions, 'cwd' | 'env'>,
    /** Lines of its log that nobody wants to find there. */
    private readonly complaint: RegExp,
  ) {}

  start(): void {
    const [program = '', ...args] = this.command;
    this.child = spawn(program, args, { ...this.options, stdio: ['ignore', 'pipe', 'pipe'] });
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
