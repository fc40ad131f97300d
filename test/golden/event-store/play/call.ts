// One gRPC call as the recorder made it: every kind of call is a stream of messages either way.
import { Metadata, status, type CallOptions, type Client, type ClientDuplexStream, type StatusObject } from '@grpc/grpc-js';
import type { Message, RecordedStatus, Step } from '../recording';
import { decode, pathOf } from './messages';

/** A call that has not ended by then is taken for one that never will, ms. */
export const ANSWER_MS_MAX = 8000;

/** Trailers of the transport, which are not compared. */
const TRANSPORT = /^(date|server|content-type|content-length|transfer-encoding|grpc-.*)$/;

function recordedStatus({ code, details, metadata }: StatusObject): RecordedStatus {
  const trailers = Object.fromEntries(Object.entries(metadata.getMap()).filter(([key]) => !TRANSPORT.test(key)));
  return { code, name: status[code], details, trailers: trailers as Record<string, string> };
}

export class PlayedCall {
  readonly responses: Message[] = [];
  status: RecordedStatus | undefined;
  private readonly stream: ClientDuplexStream<Buffer, Buffer>;
  private lastNews = Date.now();
  private collected = 0;

  constructor(
    client: Client,
    readonly name: string,
    { headers = {}, user, deadlineMs }: Pick<Step, 'headers' | 'user' | 'deadlineMs'>,
  ) {
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
    if (user !== undefined) metadata.set('authorization', `Basic ${Buffer.from(user).toString('base64')}`);
    const options: CallOptions = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };
    const same = (bytes: Buffer): Buffer => bytes;
    this.stream = client.makeBidiStreamRequest(pathOf(name), same, same, metadata, options);
    this.stream.on('data', (bytes: Buffer) => {
      this.responses.push(decode(name, bytes));
      this.lastNews = Date.now();
    });
    this.stream.on('status', (ended: StatusObject) => {
      this.status = recordedStatus(ended);
      this.lastNews = Date.now();
    });
    this.stream.on('error', () => undefined);
  }

  send(messages: readonly Buffer[]): void {
    for (const message of messages) this.stream.write(message);
  }

  end(): void {
    this.stream.end();
  }

  cancel(): void {
    this.stream.cancel();
  }

  /** Waits until the call has ended or the condition holds, then for silence. False: neither came. */
  async until(holds: () => boolean, silenceMs: number, patienceMs = ANSWER_MS_MAX): Promise<boolean> {
    const since = Date.now();
    while (!this.status && !holds()) {
      if (Date.now() - since > patienceMs) return false;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const silentFrom = Date.now();
    while (silenceMs > 0 && !this.status && Date.now() - Math.max(this.lastNews, silentFrom) < silenceMs) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return true;
  }

  /** What has come since the last collecting. */
  collect(): Message[] {
    const news = this.responses.slice(this.collected);
    this.collected = this.responses.length;
    return news;
  }

  /** As `collect`, without taking it. */
  peek(): Message[] {
    return this.responses.slice(this.collected);
  }
}
