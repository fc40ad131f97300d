import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  connectEventStoreDb,
  LogTimeoutError,
  openEventStore,
  OutcomeUnknownError,
  type Availability,
  type EventLog,
} from '#libs/event-log';
import { collect, event, failure } from '../../../../libs/event-log/src/contract/contract-target';
import { startEventStoreServer } from '../event-store-server';

/** What the store is built on, as far as it writes. */
interface Writing {
  transaction(work: () => void): void;
  probe?(): void;
}

describe('an event store whose disk is full', () => {
  let isFull: boolean;
  let log: EventLog;
  let connectionString: string;
  let closers: (() => unknown)[];
  beforeEach(async () => {
    isFull = false;
    const store = await openEventStore({});
    const engine = Reflect.get(store, 'engine') as Writing;
    const write = engine.transaction.bind(engine);
    const full = (): void => {
      if (isFull) throw new Error('database or disk is full');
    };
    Object.assign(engine, { transaction: (work: () => void) => (full(), write(work)), probe: full });
    const server = await startEventStoreServer({ store });
    ({ connectionString } = server);
    log = connectEventStoreDb({ connectionString, giveUpAfterMs: 600 });
    closers = [() => log.close(), () => server.close(), () => store.close()];
  });
  afterEach(async () => {
    for (const close of closers) await close();
  });

  it('says so, of each append and when asked, until there is room again', async () => {
    const told: Availability[] = [];
    log.onAvailability((availability) => told.push(availability));
    await log.append('s', [event('Counted', { i: 0 })], 'no_stream');
    const neighbour = connectEventStoreDb({ connectionString });
    closers.unshift(() => neighbour.close());
    await neighbour.append('t', [event()], 'any');
    isFull = true;
    const refused = await failure(log.append('s', [event('Counted', { i: 1 })], 0));
    expect(refused).toBeInstanceOf(LogTimeoutError);
    expect(refused).not.toBeInstanceOf(OutcomeUnknownError);
    expect((refused as Error).message).toMatch(/the event log could not write: database or disk is full; nothing was written$/);
    for (let i = 0; i < 3; i++)
      expect(await log.check()).toMatchObject({ available: false, reason: expect.stringContaining('disk is full') });
    // It is told to those too whose own appends had all come through.
    expect(await neighbour.check()).toMatchObject({ available: false, reason: expect.stringContaining('disk is full') });
    isFull = false;
    // Nobody appends: it is found out all the same.
    await vi.waitFor(async () => expect(await log.check()).toEqual({ available: true }), { timeout: 5_000 });
    await log.append('s', [event('Counted', { i: 2 })], 0);
    expect((await collect(log.readStream('s'))).map(({ data }) => data['i'])).toEqual([0, 2]);
    expect(told.map(({ available }) => available)).toEqual([false, true]);
  });
});
