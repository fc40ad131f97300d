import { describe, expect, it } from 'vitest';
import { createMemoryLog, type EventLog, type EventToAppend } from '#libs/event-log';
import { TornAppendError } from './append-grouper';
import type { Append } from './append-reader';
import { lastAppendThat } from './find-append';
import { lastAppend, readAppends, readAppendsBackwards } from './read-appends';

let ids = 0;
const partOf = (time: number, i: number, n: number): EventToAppend => ({
  id: `e${ids++}`,
  type: 'StatusUpdated',
  data: { changes: [] },
  metadata: { v: 1, time, i, n },
});
const whole = (time: number, n: number): EventToAppend[] => Array.from({ length: n }, (_, i) => partOf(time, i + 1, n));

/** Appends of 1, 2, 3, 1, 2, 3 … events, a second apart; positions are 16 apart. */
async function written(count: number): Promise<EventLog> {
  const log = createMemoryLog();
  for (let i = 0; i < count; i++) {
    await log.append(`local.pods-default/p-${i % 5}`, whole(i * 1_000, (i % 3) + 1), 'any');
    if (i % 4 === 0) await log.append('other.pods-default/p', whole(i * 1_000, 1), 'any');
  }
  return log;
}

const ends = (appends: readonly Append[]): number[] => appends.map((append) => append[append.length - 1]!.position);
async function all(pages: AsyncIterable<readonly Append[]>): Promise<Append[]> {
  const found: Append[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}

describe('reading appends', () => {
  it('gives the same ones forwards, backwards, and from and to any position, none of them cut', async () => {
    const log = await written(30);
    const every = await all(readAppends(log, 'local'));
    expect(every).toHaveLength(30);
    expect(every.every((append) => append.length === append[0]!.metadata.n)).toBe(true);
    expect(ends(await all(readAppendsBackwards(log, 'local')))).toEqual(ends(every).reverse());
    const last = ends(every)[29]!;
    for (let position = 0; position <= last + 16; position += 8) {
      const from = await all(readAppends(log, 'local', { from: position }));
      expect(ends(from)).toEqual(ends(every).filter((end) => end >= position));
      const until = await all(readAppends(log, 'local', { until: position }));
      expect(ends(until)).toEqual(ends(every.filter((append) => append[0]!.position <= position)));
      const before = await all(readAppendsBackwards(log, 'local', position));
      expect(ends(before).reverse()).toEqual(ends(every).filter((end) => end < position));
    }
    for (const end of ends(every))
      expect(ends(await all(readAppends(log, 'local', { after: end })))).toEqual(ends(every).filter((each) => each > end));
    expect(ends([(await lastAppend(log, 'local'))!])).toEqual([last]);
  });

  it('of streams that are seldom written to looks for nothing behind the end', async () => {
    const log = await written(30);
    await log.append('local.nodes-n', whole(0, 2), 'any');
    for (let i = 0; i < 1_200; i++) await log.append('local.pods-default/p', whole(0, 1), 'any');
    const { position } = await log.append('local.nodes-n', whole(0, 1), 'any');
    const given: number[] = [];
    const { readAll } = log;
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      readAll: async function* (options: never) {
        for await (const page of readAll.call(log, options)) {
          given.push(...page.map((event) => event.position));
          yield page;
        }
      },
    });
    const found = await all(readAppends(watched, 'local', { until: position! - 600 * 16, streamPrefixes: ['local.nodes-'] }));
    expect(found.map((append) => append.length)).toEqual([2]);
    expect(given).toEqual(found[0]!.map((event) => event.position));
  });

  it('says where an append is that is not whole, at the end of the log and in its middle, forwards and backwards', async () => {
    const log = await written(2);
    const { position } = await log.append('local.pods-default/torn', [partOf(0, 1, 2)], 'any');
    const text = `the append to local.pods-default/torn at position ${position} is not whole: 1 of 2 events are there`;
    await expect(all(readAppends(log, 'local'))).rejects.toThrow(text);
    await expect(lastAppend(log, 'local')).rejects.toThrow(text);
    await log.append('local.pods-default/p-0', whole(0, 1), 'any');
    await expect(all(readAppends(log, 'local'))).rejects.toThrow(text);
    await expect(all(readAppendsBackwards(log, 'local'))).rejects.toThrow(TornAppendError);
    const torn: number[] = [];
    expect(await all(readAppends(log, 'local', { onTorn: ({ event }) => void torn.push(event.position) }))).toHaveLength(3);
    expect(torn).toEqual([position]);
  });

  it('says where the beginning of the first append is missing', async () => {
    const log = createMemoryLog();
    await log.append('local.pods-default/p', [partOf(0, 2, 2)], 'any');
    await expect(all(readAppends(log, 'local'))).rejects.toThrow('position 16 is not whole: it begins with event 2 of 2');
    await expect(lastAppend(log, 'local')).rejects.toThrow('position 16 is not whole: it begins with event 2');
  });
});

describe('the last append of a beginning of the log', () => {
  it('is the same however the log can be read, for every moment', async () => {
    const log = await written(400);
    const every = await all(readAppends(log, 'local'));
    const walked = { readAll: log.readAll.bind(log), head: log.head.bind(log) } as EventLog;
    for (let i = 0; i < 400; i += 7) {
      const holds = ({ time }: { time: number }): boolean => time <= i * 1_000 + 500;
      const wanted = { position: ends(every)[i], time: i * 1_000 };
      expect(await lastAppendThat(log, 'local', holds)).toEqual(wanted);
      expect(await lastAppendThat(walked, 'local', holds)).toEqual(wanted);
    }
    expect(await lastAppendThat(log, 'local', () => false)).toBeUndefined();
  });

  it('is found without reading more than a little of a log that can be read from anywhere', async () => {
    const log = await written(6_000);
    let read = 0;
    const counted = {
      readsAnywhere: true,
      head: log.head.bind(log),
      async *readAll(options: Parameters<EventLog['readAll']>[0]) {
        for await (const page of log.readAll(options)) {
          read += page.length;
          yield page;
        }
      },
    } as unknown as EventLog;
    expect((await lastAppendThat(counted, 'local', ({ time }) => time <= 4_321_000))?.time).toBe(4_321_000);
    expect(read).toBeLessThan(1_500);
  });
});
