import type { BareStatus } from './bare-status';
import { SpdySession, type BytePipe, type SpdyStream } from '../spdy/session';
import { Input } from './input';
import type { CommandOptions, CommandStreams } from './service';

/** For a client to open all the streams that it asked for, ms (upstream). */
const creationMs = 30_000;

/** exec and attach over streams of SPDY, each of which says in its headers what it is for. */
export class SpdyStreams implements CommandStreams {
  readonly isTranslated = false;
  private readonly session: SpdySession;
  private readonly streams = new Map<string, SpdyStream>();
  private readonly expected: number;
  private readonly timer: NodeJS.Timeout;
  private readonly input: Input;

  /** @param onReady all streams that the options ask for are there */
  constructor(
    private readonly pipe: BytePipe,
    private readonly protocol: string,
    private readonly options: CommandOptions,
    private readonly onReady: (streams: CommandStreams) => void,
  ) {
    const { stdin, stdout, stderr, tty } = options;
    const resizes = tty && /^v[34]\./.test(protocol);
    this.expected = 1 + [stdin, stdout, stderr, resizes].filter(Boolean).length;
    this.input = new Input(pipe);
    this.timer = setTimeout(() => pipe.end(), creationMs);
    pipe.onClosed(() => clearTimeout(this.timer));
    this.session = new SpdySession(pipe, (stream) => this.take(stream));
  }

  write(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (this.options[stream]) this.streams.get(stream)?.write(bytes);
  }

  whenTaken(): Promise<void> {
    return this.pipe.whenTaken();
  }

  onInput(callback: (bytes: Buffer) => Promise<void>): void {
    this.input.listen(callback);
  }

  onInputEnd(callback: () => void): void {
    this.input.listenForEnd(callback);
  }

  onClosed(callback: () => void): void {
    this.pipe.onClosed(callback);
  }

  /** In v4 a Status; before, the text of a failure, and nothing of a success. */
  end(status: BareStatus): void {
    const isFailure = status.status !== 'Success';
    const text = this.protocol.startsWith('v4.') ? JSON.stringify(status) : isFailure ? (status.message ?? '') : '';
    this.streams.get('error')?.write(Buffer.from(text));
    for (const stream of this.streams.values()) stream.end();
    this.session.end();
  }

  private take(stream: SpdyStream): boolean {
    const type = stream.headers.get('streamtype') ?? '';
    if (!['error', 'stdin', 'stdout', 'stderr', 'resize'].includes(type) || this.streams.has(type)) return false;
    this.streams.set(type, stream);
    stream.listen((bytes) => {
      if (type === 'stdin') this.input.push(bytes);
    });
    if (this.streams.size === this.expected) {
      clearTimeout(this.timer);
      // The reply to the last stream goes out before anything is said on it.
      queueMicrotask(() => this.onReady(this));
    }
    return true;
  }
}
