import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEventStoreDb, openEventStore, type EventLog, type EventStore, type Payload } from '#libs/event-log';
import { collect, event, events } from '../../../../libs/event-log/src/contract/contract-target';
import { describeEventLog } from '../../../../libs/event-log/src/contract/event-log-contract';
import { Recorder } from '../../../../libs/event-log/src/contract/recorder';
import { startEventStoreServer, type EventStoreServer } from '../event-store-server';
import { RealStoreFront, type Line } from '../testing/real-store-front';

interface Strict {
  front: RealStoreFront;
  connectionString: string;
  close(): Promise<void>;
}

async function openStrict(line: Line): Promise<Strict> {
  const store: EventStore<Payload> = await openEventStore({});
  const server: EventStoreServer = await startEventStoreServer({ store });
  const front = new RealStoreFront(server.port, store, line);
  return {
    front,
    connectionString: await front.open(),
    async close() {
      await front.close();
      await server.close();
      store.close();
    },
  };
}

/** Real servers begin only where an event is. An adapter that has seen none of them must find such a place. */
describe.each(['23.10', '26.1'] as const)(
  'beginning near a position that the adapter has never seen, at a store as strict as %s',
  (line) => {
    let strict: Strict;
    const positions: number[] = [];
    beforeAll(async () => {
      strict = await openStrict(line);
      const log = connectEventStoreDb(strict);
      for (let i = 0; i < 5; i++) positions.push((await log.append(`near-${i}`, [event('Counted', { i })], 'any')).position!);
      await log.close();
    });
    afterAll(() => strict.close());

    async function fresh<T>(use: (log: EventLog) => Promise<T>): Promise<T> {
      const log = connectEventStoreDb(strict);
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
      const client = EventStoreDBClient.connectionString(strict.connectionString);
      const position = { commit: BigInt(positions[2]! + 1), prepare: BigInt(positions[2]! + 1) };
      const near = client.readAll({ fromPosition: position });
      await expect(near[Symbol.asyncIterator]().next()).rejects.toThrow(/Unexpected ReadAllResult/);
      const subscribed = client.subscribeToAll({ fromPosition: position });
      await expect(subscribed[Symbol.asyncIterator]().next()).rejects.toThrow(/Exception was thrown|invalid position/);
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

    it('beyond the end there is nothing, until it comes', async () => {
      await fresh(async (log) => {
        expect(await collect(log.readAll({ from: 1_000_000 }))).toEqual([]);
        expect(await collect(log.readAll({ direction: 'backwards', from: 1_000_000 }))).toHaveLength(positions.length);
        const head = positions[4]!;
        const apart = head - positions[3]!;
        const recorder = new Recorder().on(log, { after: head + 2 * apart });
        await recorder.whenCaughtUp();
        await log.append('later', events(3), 'any');
        await recorder.count(1);
        expect(recorder.received.map(({ revision }) => revision)).toEqual([2]);
      });
    });

    it('asks for no such position near events that it has seen, however many lie behind', async () => {
      await fresh(async (log) => {
        for (let i = 0; i < 6; i++) await log.append('many', events(500), 'any');
        const recorder = new Recorder().on(log, { after: 'start', filter: { streamPrefixes: ['many'] } });
        await recorder.count(3000);
        strict.front.refused.length = 0;
        for (const i of [0, 1, 250, 499, 500, 1234, 2998]) {
          const { position } = recorder.received[i]!;
          for (const offset of offsets) {
            const filter = { streamPrefixes: ['many'] };
            const [first] = await collect(log.readAll({ from: position + offset, limit: 1, filter }));
            expect(first!.data['i']).toBe((offset > 0 ? i + 1 : i) % 500);
            const [last] = await collect(log.readAll({ direction: 'backwards', from: position + offset, limit: 1, filter }));
            expect(last?.data['i']).toBe(offset > 0 ? i % 500 : i === 0 ? undefined : (i - 1) % 500);
          }
        }
        expect(strict.front.refused).toEqual([]);
      });
    });

    it('asks for one at most where it has seen nothing', async () => {
      strict.front.refused.length = 0;
      await fresh((log) => collect(log.readAll({ from: positions[2]! + 1 })));
      expect(strict.front.refused).toEqual([positions[2]! + 1]);
    });
  },
);

for (const line of ['23.10', '26.1'] as const) {
  describe(`over a store as strict about positions as ${line}`, () => {
    let strict: Strict;
    beforeAll(async () => {
      strict = await openStrict(line);
    });
    afterAll(() => strict.close());
    describeEventLog({
      name: `eventstoredb adapter, as strict as ${line}`,
      open: () => Promise.resolve(connectEventStoreDb({ connectionString: strict.connectionString })),
    });
  });
}
