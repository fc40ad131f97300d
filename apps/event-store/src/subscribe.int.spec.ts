import {
  BACKWARDS,
  END,
  eventTypeFilter,
  excludeSystemEvents,
  START,
  streamNameFilter,
  StreamDeletedError,
  type AllStreamSubscription,
  type Filter,
  type Position,
  type StreamSubscription,
} from '@eventstore/db-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { all, counted, happened, openStore, type StoreFixture } from './testing/store-fixture';

/** What a subscription brings, with a way to wait for it. */
class Watched {
  readonly seen: string[] = [];
  readonly positions: bigint[] = [];
  error: unknown;
  private waiting: (() => void)[] = [];

  constructor(readonly subscription: AllStreamSubscription | StreamSubscription) {
    (subscription as AllStreamSubscription)
      .on('confirmation', () => this.note('confirmed'))
      .on('caughtUp', () => this.note('caught up'))
      .on('error', (error) => {
        this.error = error;
        this.note('error');
      })
      .on('data', ({ event, commitPosition }) => {
        this.positions.push(commitPosition!);
        this.note(`${event!.streamId}@${event!.revision}`);
      });
  }

  async until(what: string): Promise<void> {
    while (!this.seen.includes(what)) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  note(what: string): void {
    this.seen.push(what);
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

describe('subscribing by the official client', () => {
  let store: StoreFixture;
  const open: Watched[] = [];
  const watch = (subscription: AllStreamSubscription | StreamSubscription): Watched => {
    const watched = new Watched(subscription);
    open.push(watched);
    return watched;
  };
  beforeAll(async () => {
    store = await openStore();
  });
  afterEach(async () => {
    for (const { subscription } of open.splice(0)) await subscription.unsubscribe();
  });
  afterAll(() => store.close());

  it('to a stream: confirmation, history, caught up, live; starts are exclusive', async () => {
    await store.client.appendToStream('a', counted(3));
    const fromStart = watch(store.client.subscribeToStream('a', { fromRevision: START }));
    const fromOne = watch(store.client.subscribeToStream('a', { fromRevision: 1n }));
    const fromEnd = watch(store.client.subscribeToStream('a', { fromRevision: END }));
    await Promise.all([fromStart, fromOne, fromEnd].map((each) => each.until('caught up')));
    await store.client.appendToStream('b', counted(1));
    await store.client.appendToStream('a', counted(2));
    await Promise.all([fromStart, fromOne, fromEnd].map((each) => each.until('a@4')));
    expect(fromStart.seen).toEqual(['confirmed', 'a@0', 'a@1', 'a@2', 'caught up', 'a@3', 'a@4']);
    expect(fromOne.seen).toEqual(['confirmed', 'a@2', 'caught up', 'a@3', 'a@4']);
    expect(fromEnd.seen).toEqual(['confirmed', 'caught up', 'a@3', 'a@4']);
  });

  it('to a stream that is not there yet', async () => {
    const watched = watch(store.client.subscribeToStream('later'));
    const fromEnd = watch(store.client.subscribeToStream('later', { fromRevision: END }));
    await Promise.all([watched.until('confirmed'), fromEnd.until('caught up')]);
    await store.client.appendToStream('later', counted(1));
    await Promise.all([watched.until('caught up'), fromEnd.until('later@0')]);
    // It has caught up with history once there is any.
    expect(watched.seen).toEqual(['confirmed', 'later@0', 'caught up']);
    expect(fromEnd.seen).toEqual(['confirmed', 'caught up', 'later@0']);
  });

  it('to a stream that is deleted, comes back, and is closed', async () => {
    await store.client.appendToStream('brief', counted(2));
    await store.client.deleteStream('brief');
    const watched = watch(store.client.subscribeToStream('brief'));
    await watched.until('confirmed');
    await store.client.appendToStream('brief', counted(1));
    await watched.until('caught up');
    await store.client.tombstoneStream('brief');
    await watched.until('error');
    expect(watched.error).toBeInstanceOf(StreamDeletedError);
    expect(watched.seen).toEqual(['confirmed', 'brief@2', 'caught up', 'brief@9223372036854775807', 'error']);
    const tooLate = watch(store.client.subscribeToStream('brief'));
    await tooLate.until('error');
    expect(tooLate.error).toBeInstanceOf(StreamDeletedError);
  });

  it('to $all: from start, a position, end', async () => {
    const own = await openStore();
    const begun = (await all(own.client.readAll())).map(({ event }) => `${event!.streamId}@0`);
    await own.client.appendToStream('x', counted(2));
    const { position } = await own.client.appendToStream('y', counted(1));
    await own.client.setStreamMetadata('x', { maxCount: 5 });
    const fromStart = watch(own.client.subscribeToAll({ fromPosition: START }));
    const after = watch(own.client.subscribeToAll({ fromPosition: position! }));
    const fromEnd = watch(own.client.subscribeToAll({ fromPosition: END }));
    await Promise.all([fromStart, after, fromEnd].map((each) => each.until('caught up')));
    await own.client.appendToStream('z', counted(1));
    await Promise.all([fromStart, after, fromEnd].map((each) => each.until('z@0')));
    expect(fromStart.seen).toEqual(['confirmed', ...begun, 'x@0', 'x@1', 'y@0', '$$x@0', 'caught up', 'z@0']);
    expect(after.seen).toEqual(['confirmed', '$$x@0', 'caught up', 'z@0']);
    expect(fromEnd.seen).toEqual(['confirmed', 'caught up', 'z@0']);
    for (const { subscription } of open.splice(0)) await subscription.unsubscribe();
    await own.close();
  });

  describe('filters on $all', () => {
    let filtered: StoreFixture;
    beforeAll(async () => {
      filtered = await openStore();
      await filtered.client.appendToStream('order-1', [happened({}, 'OrderPlaced'), happened({}, 'OrderPaid')]);
      await filtered.client.appendToStream('user-1', happened({}, 'UserJoined'));
      await filtered.client.setStreamMetadata('user-1', { maxCount: 9 });
      await filtered.client.appendToStream('order-2', happened({}, 'OrderPlaced'));
    });
    afterAll(() => filtered.close());

    const cases: [string, Filter, string[]][] = [
      ['stream prefix', streamNameFilter({ prefixes: ['order-'] }), ['order-1@0', 'order-1@1', 'order-2@0']],
      ['several stream prefixes', streamNameFilter({ prefixes: ['user', 'order-2'] }), ['user-1@0', 'order-2@0']],
      ['stream regex', streamNameFilter({ regex: /-1$/.source }), ['order-1@0', 'order-1@1', 'user-1@0', '$$user-1@0']],
      ['type prefix', eventTypeFilter({ prefixes: ['OrderP'] }), ['order-1@0', 'order-1@1', 'order-2@0']],
      ['type regex', eventTypeFilter({ regex: /^(UserJoined|OrderPaid)$/.source }), ['order-1@1', 'user-1@0']],
      ['no system events', excludeSystemEvents(), ['order-1@0', 'order-1@1', 'user-1@0', 'order-2@0']],
    ];
    it.each(cases)('%s', async (_name, filter, expected) => {
      const watched = watch(filtered.client.subscribeToAll({ filter }));
      await watched.until('caught up');
      expect(watched.seen).toEqual(['confirmed', ...expected, 'caught up']);
    });

    it('a regular expression that is none', async () => {
      const watched = watch(filtered.client.subscribeToAll({ filter: streamNameFilter({ regex: '(' }) }));
      await watched.until('error');
      expect((watched.error as Error).message).toMatch(/INVALID_ARGUMENT/);
    });
  });

  it('checkpoints every window of searched events, matching or not, in history and live', async () => {
    const own = await openStore();
    await own.client.appendToStream('noise', counted(24));
    const positions = (await all(own.client.readAll())).map(({ event }) => event!.position!.commit);
    const checkpoints: bigint[] = [];
    let reached: () => void = () => undefined;
    const filter = streamNameFilter({
      prefixes: ['signal'],
      maxSearchWindow: 5,
      checkpointInterval: 2,
      checkpointReached: (_subscription: AllStreamSubscription, { commit }: Position) => {
        checkpoints.push(commit);
        reached();
        return Promise.resolve();
      },
    });
    const watched = watch(own.client.subscribeToAll({ filter }));
    await watched.until('caught up');
    // A page of five without any that fits tells where it began; two pages lie between two checkpoints.
    const history = [positions[5], positions[15]];
    expect(checkpoints).toEqual(history);
    const third = new Promise<void>((resolve) => (reached = resolve));
    await own.client.appendToStream('signal', counted(1));
    for (let i = 0; i < 4; i++) await own.client.appendToStream('noise', counted(1));
    await third;
    const [last] = await all(own.client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }));
    expect(checkpoints).toEqual([...history, last!.event!.position!.commit]);
    expect(watched.seen).toEqual(['confirmed', 'caught up', 'signal@0']);
    await watched.subscription.unsubscribe();
    await own.close();
  });

  it('many subscribers, a slow one among them, while writing goes on', async () => {
    const own = await openStore();
    for (let i = 0; i < 5; i++) await own.client.appendToStream('busy', counted(400));
    const quick = Array.from({ length: 5 }, () => watch(own.client.subscribeToStream('busy')));
    const slow: bigint[] = [];
    const subscription = own.client.subscribeToAll({ filter: streamNameFilter({ prefixes: ['busy'] }) });
    const slowly = (async () => {
      for await (const { event } of subscription) {
        slow.push(event!.revision);
        if (slow.length % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
        if (slow.length === 2200) break;
      }
    })();
    for (let i = 0; i < 50; i++) await own.client.appendToStream('busy', counted(4));
    await Promise.all([slowly, ...quick.map((each) => each.until('busy@2199'))]);
    expect(slow).toEqual(Array.from({ length: 2200 }, (_, i) => BigInt(i)));
    const written = (await all(own.client.readStream('busy'))).map(({ event }) => event!.position!.commit);
    for (const { positions } of quick) expect(positions).toEqual(written);
    for (const watched of open.splice(0)) await watched.subscription.unsubscribe();
    await subscription.unsubscribe();
    await own.close();
  });
});
