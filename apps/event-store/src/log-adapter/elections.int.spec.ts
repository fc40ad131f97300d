import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectEventStoreDb, openEventStore, type EventLog } from '#libs/event-log';
import { collect, event, events } from '../../../../libs/event-log/src/contract/contract-target';
import { Recorder } from '../../../../libs/event-log/src/contract/recorder';
import { startEventStoreServer } from '../event-store-server';
import { RealStoreFront, type Ending } from '../testing/real-store-front';

const aborted: Ending = { code: 10, details: 'Consumer too slow to handle event while live' };
const unavailable: Ending = { code: 14, details: 'Server Is Not Ready' };

/** What a cluster of real servers says while it has no leader, has another one, or is in trouble with a reader. */
describe('the eventstoredb adapter, when the cluster elects a leader', () => {
  let front: RealStoreFront;
  let log: EventLog;
  let closers: (() => unknown)[];
  let port: number;
  beforeEach(async () => {
    const store = await openEventStore({});
    const server = await startEventStoreServer({ store });
    port = server.port;
    front = new RealStoreFront(server.port, store, '26.1');
    log = connectEventStoreDb({ connectionString: await front.open() });
    closers = [() => log.close(), () => front.close(), () => server.close(), () => store.close()];
  });
  afterEach(async () => {
    for (const close of closers) await close();
  });
  const numbers = async (stream: string): Promise<unknown[]> => (await collect(log.readStream(stream))).map(({ data }) => data['i']);

  it('repeats what is answered with "Server Is Not Ready", in order', async () => {
    await log.append('s', [event()], 'any');
    front.electing = true;
    const appended = Array.from({ length: 12 }, (_, i) => log.append('elected', [event('Counted', { i })], i === 0 ? 'no_stream' : i - 1));
    await vi.waitFor(() => expect(front.notReady).toBeGreaterThan(2), { timeout: 9_000 });
    expect(await log.check()).toMatchObject({ available: false, reason: expect.stringContaining('Server Is Not Ready') });
    front.electing = false;
    expect((await Promise.all(appended)).map(({ revision }) => revision)).toEqual(appended.map((_, i) => i));
    expect(await numbers('elected')).toEqual(appended.map((_, i) => i));
    expect(await log.check()).toEqual({ available: true });
  });

  it('follows the leader to another node', async () => {
    await log.append('s', [event('Counted', { i: 0 })], 'no_stream');
    const leader = { 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': String(port) };
    front.batchEnding = { code: 5, details: 'Leader info available', trailers: { exception: 'not-leader', ...leader } };
    const appended = [1, 2, 3].map((i) => log.append('s', [event('Counted', { i })], i - 1));
    expect((await Promise.all(appended)).map(({ revision }) => revision)).toEqual([1, 2, 3]);
    expect(await numbers('s')).toEqual([0, 1, 2, 3]);
  });

  it.each([aborted, unavailable])('goes on with a subscription that ends with %o', async (ending) => {
    const recorder = new Recorder().on(log, { after: 'start', filter: { streamPrefixes: ['s'] } });
    await recorder.whenCaughtUp();
    for (let i = 0; i < 3; i++) {
      await log.append('s', events(5), 'any');
      await recorder.count(5 * i + 5);
      front.endSubscriptions(ending);
    }
    await log.append('s', events(5), 'any');
    await recorder.count(20);
    expect(recorder.received.map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(recorder.failure).toBeUndefined();
    await recorder.close();
  });

  it('may be told more than once that it has caught up', async () => {
    const recorder = new Recorder().on(log, { after: 'start', filter: { streamPrefixes: ['s'] } });
    await recorder.whenCaughtUp();
    const { position } = await log.append('s', events(2), 'any');
    await recorder.count(2);
    front.catchUpAgain(position!);
    await recorder.until((self) => self.caughtUpAt.length > 1);
    await log.append('s', events(2), 'any');
    await recorder.count(4);
    expect(recorder.caughtUpAt).toEqual([0, 2]);
    expect(recorder.failure).toBeUndefined();
    await recorder.close();
  });
});
