import { openEventStore, type EventStore, type Payload } from '#libs/event-log';
import { afterEach, describe, expect, it } from 'vitest';
import type { Replies } from './event-sender';
import { HEAD_BYTES } from './grpc/message-reader';
import type { CallStatus } from './grpc/status';
import { answerRead } from './read';
import { readRequest } from './read-request';
import { WireSubscription } from './subscribe';
import { loadProtocol } from './wire/protocol';

const protocol = loadProtocol();

/** A reader that takes one chunk and then is busy until it is asked for more. */
class SlowReader implements Replies {
  over = false;
  messages = 0;
  status: CallStatus | undefined | 'open' = 'open';
  private next: () => void = () => undefined;

  writeFramed(frames: readonly Buffer[], bytes: number): Promise<void> {
    expect(frames.reduce((sum, { length }) => sum + length, 0)).toBe(bytes);
    for (const frame of frames) {
      for (let at = 0; at < frame.length; at += HEAD_BYTES + frame.readUInt32BE(at + 1)) this.messages += 1;
    }
    return new Promise((resolve) => (this.next = resolve));
  }

  end(status?: CallStatus): void {
    this.over = true;
    this.status = status;
  }

  async more(): Promise<number> {
    const { messages } = this;
    this.next();
    await settled();
    return this.messages - messages;
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));
const EVENTS = 1000;
let store: EventStore<Payload>;

async function filledStore(): Promise<EventStore<Payload>> {
  store = await openEventStore({});
  const events = Array.from({ length: EVENTS }, (_, i) => ({ id: String(i), type: 'T', data: 'x'.repeat(600), metadata: '' }));
  await store.append('s', events, 'any');
  return store;
}

const common = { uuid_option: { string: {} }, no_filter: {} };

describe('what is read goes at the pace of the reader', () => {
  afterEach(() => store.close());

  it('a read sends a chunk of many messages, waits, goes on, and ends', async () => {
    const reader = new SlowReader();
    const request = readRequest({ ...common, stream: { stream_identifier: { stream_name: Buffer.from('s') }, start: {} }, count: '1000' });
    const answered = answerRead(await filledStore(), request, reader, protocol);
    await settled();
    const first = reader.messages;
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThan(EVENTS / 2);
    while (reader.status === 'open') expect(await reader.more()).toBeLessThanOrEqual(first + 1);
    await answered;
    expect([reader.messages, reader.status]).toEqual([EVENTS, undefined]);
  });

  it('a subscription waits, and stops when the reader goes away', async () => {
    const reader = new SlowReader();
    const subscription = new WireSubscription(
      await filledStore(),
      readRequest({ ...common, all: { start: {} }, subscription: {} }),
      reader,
      protocol,
    );
    await settled();
    const before = reader.messages;
    expect(before).toBeGreaterThan(10);
    expect(await reader.more()).toBeGreaterThan(10);
    reader.over = true;
    subscription.close();
    expect(await reader.more()).toBe(0);
    expect(reader.messages).toBeLessThan(EVENTS / 2);
  });
});
