import { describe, expect, it } from 'vitest';
import { collect, event, events } from '../contract/contract-target';
import type { RecordedEvent } from '../port';
import { createMemoryLog } from './memory-log';

describe('the memory log', () => {
  it('has settled an append before any later microtask, and subscribers have it before the writer', async () => {
    const log = createMemoryLog();
    const order: string[] = [];
    log.subscribe({ after: 'start' }, { events: () => void order.push('subscriber'), caughtUp: () => undefined, failed: () => undefined });
    await Promise.resolve();
    const appended = log.append('s', [event()], 'any').then(() => order.push('writer'));
    queueMicrotask(() => order.push('later'));
    await appended;
    expect(order).toEqual(['subscriber', 'writer', 'later']);
  });

  it('gives every reader the same objects, the data uncopied', async () => {
    const log = createMemoryLog();
    const sent = event('Happened', { a: { b: 1 } });
    const received: RecordedEvent[] = [];
    for (let i = 0; i < 2; i++) {
      log.subscribe(
        { after: 'start' },
        { events: (batch) => void received.push(...batch), caughtUp: () => undefined, failed: () => undefined },
      );
    }
    await log.append('s', [sent], 'any');
    const [read] = await collect(log.readAll());
    const [fromStream] = await collect(log.readStream('s'));
    await Promise.resolve();
    expect(received).toHaveLength(2);
    for (const one of [...received, fromStream!]) expect(one).toBe(read);
    expect(read!.data).toBe(sent.data);
  });

  it('numbers positions 16, 32, 48 and takes its time from outside', async () => {
    let now = 1000;
    const log = createMemoryLog({ now: () => now++ });
    await log.append('a', events(2), 'any');
    await log.append('b', events(1), 'any');
    const all = await collect(log.readAll());
    expect(all.map(({ position }) => position)).toEqual([16, 32, 48]);
    expect(all.map(({ created }) => created)).toEqual([1000, 1000, 1001]);
  });

  it('takes no turn of the event loop, however much there is to read', async () => {
    const log = createMemoryLog();
    for (let i = 0; i < 20; i++) await log.append(`s-${i % 3}`, events(200), 'any');
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    let received = 0;
    await new Promise<void>((resolve) => {
      log.subscribe({ after: 'start' }, { events: (batch) => void (received += batch.length), caughtUp: resolve, failed: () => undefined });
    });
    expect(received).toBe(4000);
    expect(await collect(log.readAll())).toHaveLength(4000);
    clearInterval(counting);
    expect(turns).toBe(0);
  });

  it('delivers what was appended in one turn as one batch', async () => {
    const log = createMemoryLog();
    const batches: number[] = [];
    log.subscribe(
      { after: 'start' },
      { events: (batch) => void batches.push(batch.length), caughtUp: () => undefined, failed: () => undefined },
    );
    await Promise.resolve();
    void log.append('a', events(2), 'any');
    void log.append('b', events(1), 'any');
    await log.append('a', events(1), 'any');
    expect(batches).toEqual([4]);
  });

  it('reads what was there when the reading began', async () => {
    const log = createMemoryLog();
    await log.append('s', events(1200), 'any');
    for (const [pages, expected] of [
      [log.readAll(), 1200],
      [log.readStream('s'), 1500],
    ] as const) {
      let read = 0;
      for await (const page of pages) {
        read += page.length;
        await log.append('s', events(100), 'any');
      }
      expect(read).toBe(expected);
    }
    expect(await collect(log.readAll())).toHaveLength(1800);
  });

  it('counts the bytes of an append exactly where it matters', async () => {
    const log = createMemoryLog({ appendBytesMax: 1000 });
    const sized = (length: number): ReturnType<typeof event> => event('T', { t: 'é'.repeat(length) });
    // {"t":"…"} is 8 bytes around the text, the empty metadata 2, the type 1.
    await log.append('s', [sized(494)], 'any');
    await expect(log.append('s', [sized(495)], 'any')).rejects.toMatchObject({ bytes: 1001, bytesMax: 1000 });
    await expect(log.append('s', [sized(247), sized(247), event('U')], 'any')).rejects.toMatchObject({ bytesMax: 1000 });
  });

  it('takes turns of the event loop when it is live, however long a cascade of appends goes on', async () => {
    const log = createMemoryLog({ live: true });
    const cascade = 200;
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (turns < cascade) setImmediate(turn);
    };
    setImmediate(turn);
    const done = new Promise<number>((resolve) => {
      const decide = (batch: readonly RecordedEvent[]): void => {
        const { revision } = batch[batch.length - 1]!;
        if (revision + 1 < cascade) void log.append('s', [event()], revision);
        else resolve(turns);
      };
      log.subscribe({ after: 'start' }, { events: decide, caughtUp: () => undefined, failed: () => undefined });
    });
    await log.append('s', [event()], 'no_stream');
    expect(await done).toBeGreaterThan(cascade / 2);
  });

  describe('with a bounded history', () => {
    const bytesMax = 10_000;
    const sized = (): ReturnType<typeof event> => event('T', { text: 'x'.repeat(500) });
    const fill = async (log: ReturnType<typeof createMemoryLog>, count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await log.append(i % 10 === 0 ? 'old' : `s-${i}`, [sized(), sized()], 'any');
    };

    it('lets go of its oldest appends, whole, and says so before', async () => {
      const log = createMemoryLog({ historyBytesMax: bytesMax });
      const gone: RecordedEvent[] = [];
      log.history!.onForget((batch) => void gone.push(...batch));
      await fill(log, 5);
      expect(log.history!.forgotten).toBe(0);
      await fill(log, 95);
      const kept = await collect(log.readAll());
      expect(kept.length).toBeLessThan(25);
      expect([...gone, ...kept].map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, i) => (i + 1) * 16));
      expect(log.history!.forgotten).toBe(gone[gone.length - 1]!.position);
      expect(gone.length % 2).toBe(0);
    });

    it('goes on with streams whose events it has let go of', async () => {
      const log = createMemoryLog({ historyBytesMax: bytesMax });
      await log.append('once', [sized(), sized()], 'no_stream');
      await fill(log, 95);
      expect(await collect(log.readStream('once'))).toEqual([]);
      await expect(log.append('once', [sized()], 'no_stream')).rejects.toMatchObject({ actual: 1 });
      await log.append('once', [sized()], 1);
      expect((await collect(log.readStream('once'))).map(({ revision }) => revision)).toEqual([2]);
      expect((await collect(log.readStream('once', { direction: 'backwards' }))).map(({ revision }) => revision)).toEqual([2]);
    });

    it('refuses to go on reading where a piece is missing', async () => {
      const log = createMemoryLog({ live: true, historyBytesMax: 2_000_000 });
      await log.append('s', Array.from({ length: 600 }, sized), 'any');
      const reading = log.readAll()[Symbol.asyncIterator]();
      expect((await reading.next()).value).toHaveLength(500);
      for (let i = 0; i < 10; i++) await log.append('s', Array.from({ length: 600 }, sized), 'any');
      await expect(reading.next()).rejects.toThrow(/let go of everything up to/);
      const failure = new Promise<Error>((failed) =>
        log.subscribe({ after: 'start' }, { events: () => undefined, caughtUp: () => undefined, failed }),
      );
      expect((await failure).message).toMatch(/let go of everything up to/);
    });
  });

  it('refuses names that no store can keep', async () => {
    const log = createMemoryLog();
    for (const name of ['', 'x'.repeat(32_769), 'a\0b', 'half \ud83d'])
      await expect(log.append(name, [event()], 'any')).rejects.toThrow(/stream name/);
    await expect(log.append('s', [event('half \udc00')], 'any')).rejects.toThrow(/event type/);
    expect(await collect(log.readAll())).toEqual([]);
  });
});
