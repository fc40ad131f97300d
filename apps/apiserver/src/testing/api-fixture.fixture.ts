import { AccountKeys, type CompactionOptions } from '#libs/app-shell';
import { ClusterRuntime, VirtualClock, Writer } from '#libs/control-loop';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { ApiHandler } from '../api-handler';
import { accessTo } from '../authentication/access';
import { AccountTokens } from '../authentication/account-tokens';
import { administrator, Authenticator } from '../authentication/authenticator';
import { bootstrapCluster } from '../bootstrap/bootstrap-cluster';
import { DerivedEventWriter } from '../events-api/derived-event-writer';
import { isStream, type Handled, type StreamSink } from '../http/answer';
import { readRequestInfo, type RequestInfo } from '../request-info/request-info';
import { LiveCluster } from '../serving/live-cluster';
import type { HandingOver } from '../serving/resource-feed';

export const fixtureStart = Date.UTC(2026, 0, 1, 12);

export interface FixtureAnswer {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json: any;
  text: string;
  contentType: string | undefined;
  headers: Readonly<Record<string, string | readonly string[]>>;
}

/** What a watch has sent, and the client's end of it. */
export class WatchClient implements StreamSink {
  readonly frames: { type: string; object: Record<string, unknown> & { metadata: Record<string, unknown> } }[] = [];
  waitingBytes = 0;
  ended = false;
  aborted = false;
  private readonly closers: (() => void)[] = [];
  private drained: () => void = () => undefined;

  write(bytes: Buffer): void {
    for (const line of bytes.toString('utf8').split('\n')) if (line !== '') this.frames.push(JSON.parse(line));
  }

  writeFrames(frames: readonly Buffer[]): void {
    for (const frame of frames) this.write(frame);
  }

  end(): void {
    this.ended = true;
    this.close();
  }

  abort(): void {
    this.aborted = true;
    this.close();
  }

  close(): void {
    for (const closer of this.closers.splice(0)) closer();
  }

  onClosed(callback: () => void): void {
    this.closers.push(callback);
  }

  onDrained(callback: () => void): void {
    this.drained = callback;
  }

  /** Takes everything that waited: the server may go on. */
  drain(): void {
    this.waitingBytes = 0;
    this.drained();
  }

  /** `TYPE name@version` of each frame so far; then forgets them. */
  takeNames(): string[] {
    return this.frames.splice(0).map(({ type, object }) => `${type} ${String(object.metadata?.name ?? '-')}`);
  }
}

/** The API over a log in memory, without a socket and without any other app. */
export class ApiFixture {
  private count = 0;

  private constructor(
    readonly log: EventLog,
    readonly runtime: ClusterRuntime,
    readonly clock: VirtualClock,
    readonly live: LiveCluster,
    private readonly handler: ApiHandler,
    readonly authenticator: Authenticator,
  ) {}

  /** @param log a log to resume, instead of a new one. */
  static async start(
    log: EventLog = createMemoryLog(),
    now = fixtureStart,
    changesMax?: number,
    compaction?: CompactionOptions,
    handingOver?: () => HandingOver,
  ): Promise<ApiFixture> {
    const clock = new VirtualClock(now);
    const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: `test-${now}`, seed: 'seed' });
    const writer = new Writer(runtime);
    const live = new LiveCluster(runtime, writer, changesMax, compaction, handingOver);
    await bootstrapCluster(runtime, writer, { ca: 'PEM' });
    const tokens = new AccountTokens(
      new AccountKeys(),
      (...object) => runtime.state.get(...object),
      () => clock.now(),
    );
    const authenticator = new Authenticator('valid', tokens);
    const services = {
      runtime,
      live,
      writer: new DerivedEventWriter(writer, live),
      access: accessTo(runtime.state),
      reviewToken: (token: string, audiences: readonly string[]) => authenticator.review(token, audiences),
      tokens,
      trouble: () => Promise.resolve(undefined),
      apps: ['scheduler'],
    };
    return new ApiFixture(log, runtime, clock, live, new ApiHandler(services), authenticator);
  }

  async request(method: string, target: string, body?: unknown, headers: Record<string, string> = {}): Promise<FixtureAnswer> {
    const handled = await this.handle(method, target, body, headers);
    if (!('body' in handled)) throw new Error(`${target} is answered by a stream`);
    const text = handled.body.toString();
    const isJson = handled.contentType?.startsWith('application/json');
    return {
      status: handled.status,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
      contentType: handled.contentType,
      headers: handled.headers ?? {},
    };
  }

  async watch(target: string, headers: Record<string, string> = {}): Promise<WatchClient> {
    const handled = await this.handle('GET', target, undefined, headers);
    if (!isStream(handled)) throw new Error(`${target} is answered ${'body' in handled ? handled.body.toString() : 'otherwise'}`);
    const client = new WatchClient();
    handled.open(client);
    return client;
  }

  /** A ConfigMap in namespace default. */
  async configMap(name: string, content: Record<string, unknown> = {}): Promise<FixtureAnswer> {
    const { metadata, ...rest } = content;
    return this.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name, ...(metadata as object) }, ...rest });
  }

  async close(): Promise<void> {
    await this.live.close();
    await this.runtime.close();
  }

  handle(method: string, target: string, body: unknown, headers: Record<string, string>): Promise<Handled> {
    const bytes =
      body === undefined
        ? Buffer.alloc(0)
        : Buffer.isBuffer(body)
          ? body
          : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const operation = `request-${this.count++}`;
    return this.handler.handle({
      info: readRequestInfo(method, target) as RequestInfo,
      headers,
      user: administrator,
      operation,
      auditId: operation,
      readBody: () => Promise.resolve({ kind: 'read', bytes }),
    });
  }
}
