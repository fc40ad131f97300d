import { EventEmitter } from 'node:events';
import { openEventStore } from '#libs/event-log';
import { describe, expect, it } from 'vitest';
import { answerRead } from './read';
import { readRequest } from './read-request';
import { ReplyStream } from './reply-stream';
import { WireSubscription } from './subscribe';

/** A reader that takes a few messages and then is busy until `drain`. */
class SlowCall extends EventEmitter {
  cancelled = false;
  written = 0;
  ended = false;

  constructor(private readonly room: number) {
    super();
  }

  write(): boolean {
    this.written += 1;
    return this.written % this.room !== 0;
  }

  end(): void {
    this.ended = true;
  }

  cancel(): void {
    this.cancelled = true;
    this.emit('cancelled');
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const uuid_option = { string: {} };

async function filledStore(): Promise<Awaited<ReturnType<typeof openEventStore>>> {
  const store = await openEventStore({});
  const events = Array.from({ length: 1000 }, (_, i) => ({ id: String(i), type: 'T', data: '{}', metadata: '' }));
  await store.append('s', events, 'any');
  return store;
}

describe('replies at the pace of the reader', () => {
  it('a read waits, goes on, and ends', async () => {
    const call = new SlowCall(300);
    const request = readRequest({
      no_filter: {},
      stream: { stream_identifier: { stream_name: Buffer.from('s') }, start: {} },
      count: '1000',
      uuid_option,
    });
    const answered = answerRead(await filledStore(), request, new ReplyStream(call));
    for (const expected of [300, 600, 900]) {
      await settled();
      expect(call.written).toBe(expected);
      call.emit('drain');
    }
    await answered;
    expect(call).toMatchObject({ written: 1000, ended: true });
  });

  it('a subscription waits, and stops when the reader goes away', async () => {
    const call = new SlowCall(300);
    const request = readRequest({ all: { start: {} }, subscription: {}, no_filter: {}, uuid_option });
    let over = 0;
    const replies = new ReplyStream(call, () => (over += 1));
    const subscription = new WireSubscription(await filledStore(), request, replies);
    await settled();
    expect(call.written).toBe(300);
    call.emit('drain');
    await settled();
    expect(call.written).toBe(600);
    call.cancel();
    subscription.close();
    await settled();
    expect([call.written, over, call.ended]).toEqual([600, 1, false]);
  });

  it('one wait for many writes, and none after the end', async () => {
    const call = new SlowCall(1);
    const replies = new ReplyStream(call);
    const wait = replies.write({});
    expect(replies.write({})).toBe(wait);
    expect(call.listenerCount('drain')).toBe(1);
    replies.end();
    await wait;
    expect(replies.write({})).toBeUndefined();
    expect(call.written).toBe(2);
  });
});
