import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEventStoreDb, type EventLog } from '#libs/event-log';
import { collect, event } from '../../../../libs/event-log/src/contract/contract-target';
import { Recorder } from '../../../../libs/event-log/src/contract/recorder';
import { startEventStoreServer, type EventStoreServer } from '../event-store-server';

/** Real servers begin only where an event is. An adapter that has seen none of them must find such a place. */
describe('beginning near a position that the adapter has never seen', () => {
  let server: EventStoreServer;
  const positions: number[] = [];
  beforeAll(async () => {
    server = await startEventStoreServer({ strictPositions: true });
    const log = connectEventStoreDb(server);
    for (let i = 0; i < 5; i++) positions.push((await log.append(`near-${i}`, [event('Counted', { i })], 'any')).position!);
    await log.close();
  });
  afterAll(() => server.close());

  async function fresh<T>(use: (log: EventLog) => Promise<T>): Promise<T> {
    const log = connectEventStoreDb(server);
    try {
      return await use(log);
    } finally {
      await log.close();
    }
  }

  const filters = [undefined, { streamPrefixes: ['near'] }];
  const offsets = [-15, -8, 0, 1, 15];

  it('the server under test is strict', async () => {
    const { EventStoreDBClient } = await import('@eventstore/db-client');
    const client = EventStoreDBClient.connectionString(server.connectionString);
    const near = client.readAll({ fromPosition: { commit: BigInt(positions[2]! + 1), prepare: BigInt(positions[2]! + 1) } });
    await expect(near[Symbol.asyncIterator]().next()).rejects.toThrow(/no event is at position/);
    await client.dispose();
  });

  it.each(filters)('reading, with filter %o', async (filter) => {
    for (const i of [0, 2, 4]) {
      const position = positions[i]!;
      for (const offset of offsets) {
        const at = position + offset;
        const after = positions.flatMap((each, j) => (each >= at ? [j] : []));
        const before = positions.flatMap((each, j) => (each < at ? [j] : [])).reverse();
        const read = (direction: 'forwards' | 'backwards'): Promise<unknown[]> =>
          fresh(async (log) => (await collect(log.readAll({ direction, from: at, filter }))).map(({ data }) => data['i']));
        expect([i, offset, await read('forwards'), await read('backwards')]).toEqual([i, offset, after, before]);
      }
    }
  });

  it.each(filters)('subscribing, with filter %o', async (filter) => {
    for (const offset of offsets) {
      const at = positions[2]! + offset;
      const seen = await fresh(async (log) => {
        const recorder = new Recorder().on(log, { after: at, filter });
        await recorder.whenCaughtUp();
        return recorder.received.map(({ position }) => position);
      });
      expect([offset, seen]).toEqual([offset, positions.filter((position) => position > at)]);
    }
  });

  it('nowhere near an event there is nothing to find', async () => {
    await fresh(async (log) => {
      await expect(collect(log.readAll({ from: 1_000_000 }))).rejects.toThrow(/no event near position 1000000/);
      const recorder = new Recorder().on(log, { after: 1_000_000 });
      await recorder.until((self) => self.failure !== undefined);
      expect(recorder.failure!.message).toMatch(/no event near/);
    });
  });
});
