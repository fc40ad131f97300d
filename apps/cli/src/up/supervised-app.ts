import { fork, type ChildProcess } from 'node:child_process';

export interface AppCommand {
  name: string;
  /** JavaScript file to run. */
  script: string;
  args: string[];
  env: Record<string, string>;
}

export interface ReadyMessage {
  ready: true;
  port?: number;
}

/** First pause before a dead app is started again; doubled up to the longest while it keeps dying young. */
const restartPauseMs = 50;
const restartPauseMaxMs = 2_000;
/** An app that lived this long is not dying young. */
const steadyMs = 10_000;

/** One app as a process of its own: started, watched, started again when it dies. */
export class SupervisedApp {
  private child: ChildProcess | undefined;
  private stopping = false;
  private pause = restartPauseMs;
  private ready: Promise<ReadyMessage> | undefined;

  constructor(
    readonly command: AppCommand,
    private readonly changed: () => void,
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves when the app says that it is ready; rejects when it ends before. */
  start(): Promise<ReadyMessage> {
    const { script, args, env } = this.command;
    const child = fork(script, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.child = child;
    const startedAt = Date.now();
    child.once('exit', () => this.restart(startedAt));
    this.ready = new Promise((resolve, reject) => {
      child.on('message', (message) => {
        if ((message as ReadyMessage).ready) resolve(message as ReadyMessage);
      });
      child.once('exit', (code, signal) =>
        reject(new Error(`${this.command.name} ended before it was ready (${signal ?? `exit ${code}`})`)),
      );
    });
    this.ready.catch(() => undefined);
    this.changed();
    return this.ready;
  }

  /** TERM, and KILL when it does not end in time. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  }

  private restart(startedAt: number): void {
    if (this.stopping) return;
    if (Date.now() - startedAt > steadyMs) this.pause = restartPauseMs;
    setTimeout(() => {
      if (!this.stopping) void this.start().catch(() => undefined);
    }, this.pause);
    this.pause = Math.min(this.pause * 2, restartPauseMaxMs);
  }
}
