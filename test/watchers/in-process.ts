import { createMemoryLog, type EventLog } from '#libs/event-log';
import { mock } from 'node:test';
import { ApiFixture, fixtureStart } from '../../apps/apiserver/src/testing/api-fixture.fixture';
import { isStream, type StreamSink } from '../../apps/apiserver/src/http/answer';
import { FrameSplitter, WatchRefusedError, type Answered, type Connection, type Server } from './server';

/** Changes kept in memory: so few that many a watch resumes from the log. */
const changesMax = 64;
const slow = 1024 * 1024;

/** The API over a log in memory, without sockets: time, and what is handed over when, are ours, so that a seed tells everything. */
export class InProcessServer implements Server {
  private readonly log: EventLog = createMemoryLog();
  private due: (() => void)[] = [];
  private now = fixtureStart;

  private constructor(
    private api: ApiFixture | undefined,
    private readonly compactAfter: number | undefined,
  ) {}

  static async start(compactAfter?: number): Promise<InProcessServer> {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const server = new InProcessServer(undefined, compactAfter);
    await server.begin();
    return server;
  }

  private async begin(): Promise<void> {
    const compaction = this.compactAfter === undefined ? undefined : { events: this.compactAfter };
    this.api = await ApiFixture.start(this.log, this.now, changesMax, compaction, () => (handOver) => this.due.push(handOver));
  }

  async request(method: string, target: string, headers: Record<string, string> = {}, body?: string): Promise<Answered> {
    return (this.api as ApiFixture).request(method, target, body, headers);
  }

  async watch(target: string, accept: string): Promise<Connection> {
    const handled = await (this.api as ApiFixture).handle('GET', target, undefined, { accept });
    if (isStream(handled)) return SinkConnection.open(handled.contentType ?? '', handled.open);
    throw 'body' in handled
      ? new WatchRefusedError(handled.status, handled.body.toString())
      : new Error('a watch that takes the connection');
  }

  handOver(): void {
    const due = this.due;
    this.due = [];
    for (const handOver of due) handOver();
  }

  pass(ms: number): void {
    mock.timers.tick(ms);
  }

  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async restart(during?: Promise<unknown>): Promise<void> {
    await during;
    this.handOver();
    await this.api?.close();
    this.now += 86_400_000;
    await this.begin();
  }

  async close(): Promise<void> {
    await this.api?.close();
    mock.timers.reset();
  }
}

class SinkConnection implements Connection, StreamSink {
  isOver = false;
  waitingBytes = 0;
  private frames: Buffer[] = [];
  private readonly closers: (() => void)[] = [];
  private drained: () => void = () => undefined;

  private constructor(private readonly splitter: FrameSplitter) {}

  static open(contentType: string, open: (sink: StreamSink) => void): SinkConnection {
    const connection = new SinkConnection(new FrameSplitter(contentType.includes('protobuf')));
    open(connection);
    return connection;
  }

  write(bytes: Buffer): void {
    this.splitter.push(bytes, this.frames);
  }

  writeFrames(frames: readonly Buffer[]): void {
    for (const frame of frames) this.write(frame);
  }

  end(): void {
    this.isOver = true;
    this.close();
  }

  abort(): void {
    this.end();
  }

  onClosed(callback: () => void): void {
    this.closers.push(callback);
  }

  onDrained(callback: () => void): void {
    this.drained = callback;
  }

  take(): Buffer[] {
    const { frames } = this;
    this.frames = [];
    return frames;
  }

  dawdle(): void {
    this.waitingBytes = slow;
  }

  resume(): void {
    this.waitingBytes = 0;
    this.drained();
  }

  close(): void {
    for (const closer of this.closers.splice(0)) closer();
  }
}
