import { fork, type ChildProcess } from 'node:child_process';
import type { StartMessage } from '#libs/process';
import { appNodeOptions } from './node-options';

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

/** The last word of an app that found another log than its own. */
export interface LostMessage {
  lost?: string;
}

export interface Supervisor {
  /** A process was started. */
  changed(): void;
  /** A line for the user. */
  say(line: string): void;
  /** The log is not the cluster's any more: no app can go on. */
  lost(error: Error): void;
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
  /** Who waits for it to be ready. */
  private waiting: (() => void)[] = [];
  private isReady = false;
  /** Why and when it went, until it is back. */
  private gone: { reason: string; at: number; attempts: number } | undefined;

  /** @param after resolves when the app may start working; its code is loaded meanwhile */
  constructor(
    readonly command: AppCommand,
    private readonly supervisor: Supervisor,
    private readonly after: () => Promise<unknown> = () => Promise.resolve(),
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves when the app is ready, now or after it has been started again. */
  whenReady(): Promise<void> {
    return this.isReady ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Resolves when the app says that it is ready; rejects when it ends before. */
  start(): Promise<ReadyMessage> {
    const { script, args, env } = this.command;
    const child = fork(script, args, {
      execArgv: [...process.execArgv, ...appNodeOptions],
      env: { ...process.env, KUBEREEL_SUPERVISED: '1', ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child = child;
    const startedAt = Date.now();
    child.once('exit', (code, signal) => this.restart(startedAt, signal ? `was ended by ${signal}` : `ended (exit ${code})`));
    // A message to a process that has gone is an error of the channel; its end is noticed by itself.
    child.on('error', () => undefined);
    void this.after().then(
      () => child.connected && child.send({ start: true } satisfies StartMessage, () => undefined),
      // Whoever starts the apps hears of it too, and ends them.
      () => undefined,
    );
    const ready = new Promise<ReadyMessage>((resolve, reject) => {
      child.on('message', (message) => {
        if ((message as ReadyMessage).ready) resolve(message as ReadyMessage);
        const { lost } = message as LostMessage;
        if (lost === undefined || this.stopping) return;
        this.stopping = true;
        reject(new Error(lost));
        this.supervisor.lost(new Error(lost));
      });
      child.once('exit', (code, signal) =>
        reject(new Error(`${this.command.name} ended before it was ready (${signal ?? `exit ${code}`})`)),
      );
    });
    ready.then(
      () => this.becomeReady(child),
      () => undefined,
    );
    this.supervisor.changed();
    return ready;
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

  private becomeReady(child: ChildProcess): void {
    if (this.child !== child || this.stopping) return;
    this.isReady = true;
    for (const resolve of this.waiting.splice(0)) resolve();
    const { gone } = this;
    this.gone = undefined;
    if (!gone) return;
    const seconds = ((Date.now() - gone.at) / 1000).toFixed(1);
    const again = gone.attempts > 1 ? ` after ${gone.attempts} attempts` : '';
    this.supervisor.say(`${this.command.name} ${gone.reason}; it was started again${again} and was away for ${seconds} s`);
  }

  private restart(startedAt: number, reason: string): void {
    const wasReady = this.isReady;
    this.isReady = false;
    if (this.stopping) return;
    if (wasReady) this.gone = { reason, at: Date.now(), attempts: 0 };
    if (this.gone) this.gone.attempts += 1;
    if (Date.now() - startedAt > steadyMs) this.pause = restartPauseMs;
    setTimeout(() => {
      if (!this.stopping) void this.start().catch(() => undefined);
    }, this.pause);
    this.pause = Math.min(this.pause * 2, restartPauseMaxMs);
  }
}
