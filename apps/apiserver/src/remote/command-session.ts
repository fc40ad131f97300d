import { internalError } from '#libs/kube-api';
import { isFinished, isReading, Terminal, type Deed, type Program, type Reading, type Turn } from '#libs/kubelet';
import { bareStatus, success, type BareStatus } from '../http/remote/bare-status';
import type { CommandOptions, CommandStreams } from '../http/remote/service';

/** Longest wait that a timer takes, ms. */
const timerMaxMs = 2_147_483_647;
/** What a shell says of a program that Ctrl-C stopped. */
const interruptedCode = 130;

/** One program of a simulated container and the client that it talks to. */
export class CommandSession {
  private readonly over = new AbortController();
  private readonly terminal: Terminal | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly program: Program,
    private readonly command: readonly string[],
    private readonly streams: CommandStreams,
    private readonly options: CommandOptions,
  ) {
    this.terminal = options.tty ? new Terminal() : undefined;
    streams.onClosed(() => this.over.abort());
  }

  begin(): void {
    const { program } = this;
    if ('error' in program) {
      const text = `error executing command in container: failed to exec in container: OCI runtime exec failed: exec failed: ${program.error}`;
      this.end(bareStatus(internalError(this.streams.isTranslated ? `Internal error occurred: ${text}` : text)));
      return;
    }
    this.then(() => this.play(program.deeds));
    if (isFinished(program)) this.then(() => this.exit(program.exitCode));
    this.listen(program);
  }

  private listen(program: Program): void {
    // Without an input of its own a program finds the end of it at once.
    if (!this.options.stdin) {
      if (isReading(program)) this.finish(program);
      return;
    }
    this.streams.onInput(async (bytes) => {
      if (this.terminal) this.typed(this.terminal, program, bytes.toString('utf8'));
      else if (isReading(program)) this.take(program.input(bytes));
      // A program that waits does not read either; but Ctrl-C has to come through.
      if (!this.terminal) await this.turn;
      await this.streams.whenTaken();
    });
    this.streams.onInputEnd(() => {
      if (isReading(program)) this.finish(program);
    });
  }

  private typed(terminal: Terminal, program: Program, text: string): void {
    const { echo, input, isEnd, isInterrupt } = terminal.type(text);
    if (echo !== '') this.streams.write('stdout', Buffer.from(echo));
    if (isReading(program) && input !== '') this.take(program.input(Buffer.from(input)));
    if (isInterrupt && isReading(program) && program.interrupt) this.take(program.interrupt());
    else if (isInterrupt) this.exit(interruptedCode);
    else if (isEnd && isReading(program)) this.finish(program);
  }

  private take({ deeds, exitCode }: Turn): void {
    this.then(() => this.play(deeds));
    if (exitCode !== undefined) this.then(() => this.exit(exitCode));
  }

  private finish(program: Reading): void {
    this.then(async () => {
      const { deeds, exitCode } = program.endOfInput();
      await this.play(deeds);
      this.exit(exitCode);
    });
  }

  /** One thing after the other; nothing more once it is over. */
  private then(next: () => Promise<void> | void): void {
    this.turn = this.turn.then(() => (this.over.signal.aborted ? undefined : next()));
  }

  private async play(deeds: readonly (Deed | { bytes: Buffer })[]): Promise<void> {
    for (const deed of deeds) {
      if (this.over.signal.aborted) return;
      if ('waitMs' in deed) await this.wait(deed.waitMs);
      else if ('bytes' in deed) this.streams.write('stdout', deed.bytes);
      else this.say(deed);
    }
  }

  private say(deed: { out: string } | { err: string }): void {
    const text = 'out' in deed ? deed.out : deed.err;
    if (this.terminal) this.streams.write('stdout', Buffer.from(Terminal.shown(text)));
    else this.streams.write('out' in deed ? 'stdout' : 'stderr', Buffer.from(text));
  }

  private wait(ms: number): Promise<void> {
    const { signal } = this.over;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, timerMaxMs));
      signal.addEventListener('abort', done);
    });
  }

  private exit(code: number): void {
    if (code === 0) return this.end(success);
    const how = this.streams.isTranslated
      ? `command terminated with exit code ${code}`
      : `error executing command [${this.command.join(' ')}], exit code ${code}`;
    this.end({
      metadata: {},
      status: 'Failure',
      message: `command terminated with non-zero exit code: ${how}`,
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
    });
  }

  private end(status: BareStatus): void {
    if (this.over.signal.aborted) return;
    this.over.abort();
    this.streams.end(status);
  }
}
