import { createHash } from 'node:crypto';
import { internalError } from '#libs/kube-api';
import { Terminal, type Given, type NotStarted, type Started } from '#libs/kubelet';
import { ProgramPlayer } from '../containers/program-player';
import { bareStatus, success, type BareStatus } from '../http/remote/bare-status';
import type { CommandOptions, CommandStreams } from '../http/remote/service';

/** What a shell says of a program that Ctrl-C stopped. */
const interruptedCode = 130;
/** Typed bytes that wait for a program that does not read. */
const waitingMax = 64 * 1024;

export interface SessionOptions extends CommandOptions {
  /** Cluster time of the program's start, ms since the epoch. */
  startedAt: number;
  now: () => number;
  /** How an exit code is told; of a container's own program it is not. */
  tellsExit: boolean;
  command: readonly string[];
  /** It was typed to, and has ended. */
  ended?: (exitCode: number, ranMs: number) => Promise<void>;
  written?: (text: string, atMs: number) => void;
  /** Its input ends with its client's, and it goes on by itself from there. */
  outlivesClient?: boolean;
}

/** One program of a simulated container and the client that it talks to. */
export class CommandSession {
  private readonly over = new AbortController();
  private readonly terminal: Terminal | undefined;
  private readonly player: ProgramPlayer | undefined;
  private readonly waiting: Given[] = [];
  private waitingBytes = 0;
  private give: ((given: Given) => void) | undefined;
  private isInputOver: boolean;
  private wasTypedTo = false;
  private hasClient = true;
  private drained: () => void = () => undefined;

  constructor(
    private readonly program: Started | NotStarted,
    private readonly streams: CommandStreams,
    private readonly options: SessionOptions,
  ) {
    this.terminal = options.tty ? new Terminal() : undefined;
    this.isInputOver = !options.stdin;
    if ('process' in program) {
      const calls = {
        written: (text: string | Buffer, stream: 'stdout' | 'stderr', atMs: number) => this.say(text, stream, atMs),
        input: () => this.nextInput(),
        taken: () => (this.hasClient ? this.streams.whenTaken() : Promise.resolve()),
      };
      this.player = new ProgramPlayer(program, options.startedAt, options.now, calls, this.over.signal);
    }
    streams.onClosed(() => this.left());
  }

  async begin(): Promise<void> {
    const { program, player } = this;
    if ('error' in program) return this.notStarted(program.error);
    if (this.options.stdin) this.listen();
    const code = await player?.play();
    if (code === undefined || this.over.signal.aborted) return;
    await this.exit(code);
  }

  private listen(): void {
    this.streams.onInput(async (bytes) => {
      if (this.terminal) this.typed(this.terminal, bytes.toString('utf8'));
      else this.push(bytes);
      // A program that waits does not read either; but Ctrl-C has to come through.
      if (!this.terminal && this.waitingBytes > waitingMax) await new Promise<void>((resolve) => (this.drained = resolve));
      await this.streams.whenTaken();
    });
    this.streams.onInputEnd(() => this.push('end'));
  }

  private typed(terminal: Terminal, text: string): void {
    const { echo, input, isEnd, isInterrupt } = terminal.type(text);
    if (echo !== '') this.streams.write('stdout', Buffer.from(echo));
    if (input !== '') this.push(Buffer.from(input));
    if (isInterrupt && this.give) this.push('interrupt');
    // It does something else than read: it is stopped.
    else if (isInterrupt) void this.exit(interruptedCode);
    else if (isEnd) this.push('end');
  }

  private push(given: Given): void {
    if (this.isInputOver) return;
    if (given === 'end') this.isInputOver = true;
    if (given instanceof Buffer) this.waitingBytes += given.length;
    const { give } = this;
    this.give = undefined;
    if (give) give(given);
    else this.waiting.push(given);
  }

  private async nextInput(): Promise<Given> {
    this.wasTypedTo = true;
    const given = this.waiting.shift() ?? (this.isInputOver ? 'end' : await new Promise<Given>((resolve) => (this.give = resolve)));
    if (given instanceof Buffer) this.waitingBytes -= given.length;
    this.drained();
    return given;
  }

  private say(text: string | Buffer, stream: 'stdout' | 'stderr', atMs: number): void {
    const shown = this.terminal ? Terminal.shown(text.toString()) : text;
    this.options.written?.(shown.toString(), atMs);
    if (this.hasClient) this.streams.write(this.terminal ? 'stdout' : stream, Buffer.from(shown));
  }

  private left(): void {
    this.hasClient = false;
    if (this.options.outlivesClient && this.wasTypedTo) this.push('end');
    else this.over.abort();
  }

  private async exit(code: number): Promise<void> {
    if (this.over.signal.aborted) return;
    this.over.abort();
    if (this.wasTypedTo) await this.options.ended?.(code, this.player?.ranMs ?? 0);
    if (!this.hasClient) return;
    if (code === 0 || !this.options.tellsExit) return this.streams.end(success);
    const how = this.streams.isTranslated
      ? `command terminated with exit code ${code}`
      : `error executing command [${this.options.command.join(' ')}], exit code ${code}`;
    this.streams.end({
      metadata: {},
      status: 'Failure',
      message: `command terminated with non-zero exit code: ${how}`,
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
    });
  }

  private notStarted(error: string): void {
    const id = createHash('sha256')
      .update(`${this.options.startedAt}/${this.options.command.join('/')}`)
      .digest('hex');
    const text = `error executing command in container: failed to exec in container: failed to start exec "${id}": OCI runtime exec failed: exec failed: ${error}: unknown`;
    const status: BareStatus = bareStatus(internalError(this.streams.isTranslated ? `Internal error occurred: ${text}` : text));
    this.over.abort();
    this.streams.end(status);
  }
}
