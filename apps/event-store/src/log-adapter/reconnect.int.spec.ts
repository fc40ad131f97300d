import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  connectEventStoreDb,
  EventLogError,
  LogReplacedError,
  LogUnavailableError,
  OutcomeUnknownError,
  type Availability,
  type EventLog,
} from '#libs/event-log';
import { collect, event, events, failure } from '../../../../libs/event-log/src/contract/contract-target';
import { Recorder } from '../../../../libs/event-log/src/contract/recorder';
import { startEventStoreServer, type EventStoreServer } from '../event-store-server';
import { Wire } from '../testing/wire';

describe('the eventstoredb adapter, when the connection breaks', () => {
  let folder: string;
  let server: EventStoreServer;
  let wire: Wire;
  let log: EventLog;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubereel-reconnect-'));
    server = await startEventStoreServer({ folder });
    wire = new Wire(server.port);
    await wire.open();
    log = connectEventStoreDb(wire);
  });
  afterEach(async () => {
    await log.close();
    await wire.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('writes every append once and in order, and misses no event', async () => {
    const recorder = new Recorder().on(log, { after: 'start', filter: { streamPrefixes: ['chain'] } });
    const unfiltered = new Recorder().on(log, { after: 'end' });
    await Promise.all([recorder.whenCaughtUp(), unfiltered.whenCaughtUp()]);
    const appends = Array.from({ length: 300 }, async (_, i) => {
      const { revision } = await log.append('chain', [event('Chained', { i })], i === 0 ? 'no_stream' : i - 1);
      if (i % 60 === 30) void wire.cut();
      return revision;
    });
    expect(await Promise.all(appends)).toEqual(appends.map((_, i) => i));
    const expected = appends.map((_, i) => i);
    for (const each of [recorder, unfiltered]) {
      await each.count(300);
      expect(each.received.map(({ data }) => data['i'])).toEqual(expected);
      expect(each.overlaps).toBe(0);
      expect(each.failure).toBeUndefined();
      await each.close();
    }
    expect((await collect(log.readStream('chain'))).map(({ data }) => data['i'])).toEqual(expected);
  });

  it('writes in order what is handed over together after the connection broke while nothing was under way', async () => {
    const rounds: unknown[] = [];
    // The subscription breaks with the rest; when it has come back the break has been noticed everywhere.
    const recorder = new Recorder().on(log, { after: 'end' });
    for (let round = 0; round < 10; round++) {
      await log.append('idle', [event()], 'any');
      await recorder.until((self) => self.caughtUpAt.length > round);
      await wire.cut();
      await recorder.until((self) => self.caughtUpAt.length > round + 1);
      await Promise.all(Array.from({ length: 12 }, (_, i) => log.append(`idle-${round}`, [event('Counted', { i })], 'any')));
      rounds.push((await collect(log.readStream(`idle-${round}`))).map(({ data }) => data['i']));
    }
    expect(rounds).toEqual(rounds.map(() => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
    await recorder.close();
  });

  it('goes on after the server was gone for a while', async () => {
    const recorder = new Recorder().on(log, { after: 'start' });
    await log.append('s', events(3), 'no_stream');
    await recorder.count(3);
    await server.close();
    const appended = log.append('s', events(2), 2);
    const read = collect(log.readStream('s'));
    server = await startEventStoreServer({ folder, port: server.port });
    expect((await appended).revision).toBe(4);
    expect((await read).length).toBeGreaterThanOrEqual(3);
    await recorder.count(5);
    expect(recorder.received.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
    await recorder.close();
  });

  it('reads on where the connection broke', async () => {
    for (let i = 0; i < 6; i++) {
      await log.append(
        'long',
        events(500, (j) => ({ i: i * 500 + j })),
        'any',
      );
    }
    const expected = Array.from({ length: 3000 }, (_, i) => i);
    const cutting = async (pages: AsyncIterable<readonly { data: Record<string, unknown> }[]>): Promise<unknown[]> => {
      const read: unknown[] = [];
      let count = 0;
      for await (const page of pages) {
        read.push(...page.map(({ data }) => data['i']));
        if (++count === 2) void wire.cut();
      }
      return read;
    };
    expect(await cutting(log.readStream('long'))).toEqual(expected);
    expect(await cutting(log.readStream('long', { direction: 'backwards' }))).toEqual([...expected].reverse());
    expect(await cutting(log.readAll())).toEqual(expected);
    expect(await cutting(log.readAll({ direction: 'backwards' }))).toEqual([...expected].reverse());
    expect(await cutting(log.readAll({ filter: { streamPrefixes: ['lon'] } }))).toEqual(expected);
  });

  it('gives appends and reads up in the end, and says that the store cannot be reached', async () => {
    const impatient = connectEventStoreDb({ connectionString: wire.connectionString, giveUpAfterMs: 200 });
    await wire.close();
    const refused = await failure(impatient.append('s', [event()], 'any'));
    expect(refused).toBeInstanceOf(LogUnavailableError);
    expect((refused as Error).message).toMatch(/no append within 0.2 s: .*ECONNREFUSED/);
    expect(await failure(collect(impatient.readAll()))).toBeInstanceOf(LogUnavailableError);
    await impatient.close();
    await wire.open();
  });

  it('a subscription tries without end, from before the store is there', async () => {
    const patient = connectEventStoreDb({ connectionString: wire.connectionString, giveUpAfterMs: 1 });
    await wire.close();
    const recorder = new Recorder().on(patient, { after: 'start' });
    await failure(patient.append('s', [event()], 'any'));
    await failure(collect(patient.readAll()));
    await wire.open();
    await log.append('s', [event()], 'any');
    await recorder.count(1);
    await wire.close();
    await failure(patient.append('s', [event()], 'any'));
    await wire.open();
    await log.append('s', [event()], 'any');
    await recorder.count(2);
    expect(recorder.failure).toBeUndefined();
    await patient.close();
  });

  it('what a closed log was still to write is refused', async () => {
    await log.append('s', [event()], 'any');
    await server.close();
    const waiting = failure(log.append('s', [event()], 'any'));
    await log.close();
    expect(await waiting).toBeInstanceOf(LogUnavailableError);
    server = await startEventStoreServer({ folder, port: server.port });
  });

  it('refuses connection strings that it cannot keep its promises with', () => {
    expect(() => connectEventStoreDb({ connectionString: 'http://localhost:2113' })).toThrow(EventLogError);
    expect(() => connectEventStoreDb({ connectionString: 'esdb://localhost:2113?tls=false&throwOnAppendFailure=false' })).toThrow(
      /throwOnAppendFailure/,
    );
  });

  it('an append that nobody waits for any more is not written later', async () => {
    await log.append('s', [event('Counted', { i: 0 })], 'no_stream');
    await server.close();
    const gone = new AbortController();
    const waiting = log.append('s', [event('Counted', { i: 1 })], 0);
    const dropped = failure(log.append('s', [event('Counted', { i: 2 })], 'any', { signal: gone.signal }));
    gone.abort(new Error('nobody waits for it'));
    expect(await dropped).toBeInstanceOf(LogUnavailableError);
    expect(await dropped).not.toBeInstanceOf(OutcomeUnknownError);
    expect(((await dropped) as Error).message).toMatch(/nobody waits .*nothing was written/);
    const impatient = connectEventStoreDb({ connectionString: wire.connectionString, giveUpAfterMs: 100 });
    expect(await failure(impatient.append('s', [event('Counted', { i: 3 })], 'any'))).toBeInstanceOf(LogUnavailableError);
    server = await startEventStoreServer({ folder, port: server.port });
    await log.append('s', [event('Counted', { i: 4 })], 'any');
    expect((await waiting).revision).toBe(1);
    expect((await collect(log.readStream('s'))).map(({ data }) => data['i'])).toEqual([0, 1, 4]);
    await impatient.close();
  });

  describe('says when the store is away and when it is back, once each', () => {
    let told: Availability[];
    beforeEach(() => {
      told = [];
      log.onAvailability((availability) => told.push(availability));
    });
    const changes = (count: number): Promise<void> => vi.waitFor(() => expect(told).toHaveLength(count), { timeout: 15_000 });

    it('with a subscription, without being asked', async () => {
      const recorder = new Recorder().on(log, { after: 'start' });
      await recorder.whenCaughtUp();
      await wire.close();
      await changes(1);
      expect(await log.check()).toMatchObject({ available: false, reason: expect.stringContaining('ECONNREFUSED') });
      await wire.open();
      await changes(2);
      expect(told.map(({ available }) => available)).toEqual([false, true]);
      expect(await log.check()).toEqual({ available: true });
    });

    it('with appends under way', async () => {
      await log.append('s', [event()], 'any');
      await wire.close();
      const appended = log.append('s', [event()], 0);
      await changes(1);
      await wire.open();
      await appended;
      expect(told.map(({ available }) => available)).toEqual([false, true]);
    });

    it('when asked, though the line is silent', async () => {
      expect(await log.check()).toEqual({ available: true });
      wire.hold();
      expect(await log.check(200)).toMatchObject({ available: false, reason: expect.stringContaining('has not answered for 0.2 s') });
      await wire.release();
      await changes(2);
      expect(told.map(({ available }) => available)).toEqual([false, true]);
    });
  });

  it('says that the outcome is unknown of an append whose answer never came', async () => {
    const impatient = connectEventStoreDb({ connectionString: wire.connectionString, giveUpAfterMs: 300 });
    await impatient.append('s', [event('Counted', { i: 0 })], 'no_stream');
    wire.hold();
    expect(await failure(impatient.append('s', [event('Counted', { i: 1 })], 'any'))).toBeInstanceOf(OutcomeUnknownError);
    await wire.release();
    await impatient.close();
  });

  describe('and another log is there when it comes back', () => {
    /** The store of before with `count` events in one stream, replaced by another of its port. */
    async function replacedBy(write: (other: EventLog) => Promise<unknown>): Promise<Recorder> {
      const recorder = new Recorder().on(log, { after: 'start', filter: { streamPrefixes: ['chain'] } });
      await log.append('chain', events(3), 'no_stream');
      await recorder.count(3);
      await collect(log.readStream('chain'));
      await wire.close();
      await server.close();
      server = await startEventStoreServer({ port: server.port });
      const other = connectEventStoreDb(server);
      await write(other);
      await other.close();
      await wire.open();
      await recorder.until((self) => self.failure !== undefined);
      return recorder;
    }

    const others: [string, (other: EventLog) => Promise<unknown>][] = [
      ['an empty one', () => Promise.resolve()],
      ['a shorter one', (other) => other.append('chain', events(1), 'any')],
      ['a longer one', (other) => other.append('chain', events(9), 'any')],
    ];
    it.each(others)('%s: nothing is delivered or written', async (_name, write) => {
      const recorder = await replacedBy(write);
      expect(recorder.failure).toBeInstanceOf(LogReplacedError);
      const { followed } = recorder.failure as LogReplacedError;
      expect(recorder.received).toHaveLength(3);
      // It may be an event of the store's own, before all that is delivered.
      expect(followed.position).toBeLessThanOrEqual(recorder.received[2]!.position);
      expect(await failure(log.append('chain', [event('Late')], 'any'))).toBeInstanceOf(LogReplacedError);
      const other = connectEventStoreDb(server);
      expect((await collect(other.readAll())).some(({ type }) => type === 'Late')).toBe(false);
      await other.close();
    });
  });
});
