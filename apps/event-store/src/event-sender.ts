import type { EventStore, Payload, StoredEvent } from '#libs/event-log';
import { HEAD_BYTES } from './grpc/message-reader';
import type { CallStatus } from './grpc/status';
import { resolve } from './read-event';
import { ByteWriter } from './wire/byte-writer';
import { ReadResponses } from './wire/read-response';

/** What is used here of a call. */
export interface Replies {
  /** Ended, or the reader has gone. */
  readonly over: boolean;
  /** Undefined: go on. A promise: not before it settles. */
  writeFramed(frames: readonly Buffer[], bytes: number): Promise<void> | undefined;
  end(status?: CallStatus): void;
}

/** Messages are collected up to this size before they are handed on. */
const CHUNK_BYTES = 64 * 1024;
/** Live events mostly come one by one; the buffer grows with what is read. */
const FIRST_BUFFER_BYTES = 2048;

/** Sends the messages of a read, many at a time: what is written goes out with `flush`, or by itself when it is much. */
export class EventSender {
  private readonly writer = new ByteWriter(FIRST_BUFFER_BYTES);
  private readonly responses = new ReadResponses(this.writer);

  constructor(
    private readonly store: EventStore<Payload>,
    private readonly options: { resolveLinks: boolean; structuredIds: boolean },
    private readonly replies: Replies,
  ) {}

  get over(): boolean {
    return this.replies.over;
  }

  /** A promise: the reader is slow, and nothing more is to be sent before it settles. */
  event(event: StoredEvent<Payload>): Promise<void> | undefined {
    const { resolveLinks, structuredIds } = this.options;
    const { event: shown, link } = resolveLinks ? resolve(this.store, event) : { event };
    return this.message(() => this.responses.event(shown, link, structuredIds));
  }

  streamPosition(which: 'first' | 'last', revision: bigint): void {
    void this.message(() => this.responses.streamPosition(which, revision));
  }

  /** A message that is encoded already. */
  encoded(bytes: Buffer): Promise<void> | undefined {
    return this.message(() => {
      this.writer.ensure(bytes.length);
      this.writer.raw(bytes);
    });
  }

  flush(): Promise<void> | undefined {
    const { length } = this.writer;
    return length === 0 ? undefined : this.replies.writeFramed([this.writer.take()], length);
  }

  private message(write: () => void): Promise<void> | undefined {
    const { writer } = this;
    const begin = writer.length;
    writer.ensure(HEAD_BYTES);
    for (let i = 0; i < HEAD_BYTES; i++) writer.byte(0);
    write();
    writer.uint32At(begin + 1, writer.length - begin - HEAD_BYTES);
    return writer.length >= CHUNK_BYTES ? this.flush() : undefined;
  }
}
