import { expect, it } from 'vitest';
import type { ReadAllOptions, ReadStreamOptions, RecordedEvent } from '../port';
import { collect, event, events, type Fixture } from './contract-target';

const numbers = (read: readonly RecordedEvent[]): unknown[] => read.map(({ data }) => data['i']);

export function describeReadStream(fixture: () => Fixture): void {
  const cases: [string, ReadStreamOptions, number[]][] = [
    ['all', {}, [0, 1, 2, 3, 4, 5]],
    ['from start', { from: 'start', direction: 'forwards' }, [0, 1, 2, 3, 4, 5]],
    ['limited', { limit: 2 }, [0, 1]],
    ['nothing', { limit: 0 }, []],
    ['from a revision', { from: 4 }, [4, 5]],
    ['from a revision, limited', { from: 1, limit: 3 }, [1, 2, 3]],
    ['from the last', { from: 5 }, [5]],
    ['from beyond the last', { from: 6 }, []],
    ['forwards from end', { from: 'end' }, []],
    ['backwards', { direction: 'backwards' }, [5, 4, 3, 2, 1, 0]],
    ['backwards from end, limited', { direction: 'backwards', from: 'end', limit: 1 }, [5]],
    ['backwards from a revision', { direction: 'backwards', from: 2 }, [2, 1, 0]],
    ['backwards from beyond the last', { direction: 'backwards', from: 99, limit: 2 }, [5, 4]],
    ['backwards from start', { direction: 'backwards', from: 'start' }, [0]],
  ];
  it.each(cases)('%s', async (_name, options, expected) => {
    const { log, prefix } = fixture();
    await log.append(`${prefix}s`, events(6), 'no_stream');
    expect(numbers(await collect(log.readStream(`${prefix}s`, options)))).toEqual(expected);
  });

  it('a missing stream yields nothing', async () => {
    const { log, prefix } = fixture();
    expect(await collect(log.readStream(`${prefix}missing`))).toEqual([]);
    expect(await collect(log.readStream(`${prefix}missing`, { direction: 'backwards' }))).toEqual([]);
  });

  it('long streams come in pages', async () => {
    const { log, prefix } = fixture();
    for (let i = 0; i < 3; i++) {
      await log.append(
        `${prefix}s`,
        events(400, (j) => ({ i: i * 400 + j })),
        'any',
      );
    }
    const expected = Array.from({ length: 1200 }, (_, i) => i);
    for (const direction of ['forwards', 'backwards'] as const) {
      const pages: (readonly RecordedEvent[])[] = [];
      for await (const page of log.readStream(`${prefix}s`, { direction })) pages.push(page);
      expect(numbers(pages.flat())).toEqual(direction === 'forwards' ? expected : [...expected].reverse());
      for (const page of pages) {
        expect(page.length).toBeGreaterThan(0);
        expect(page.length).toBeLessThanOrEqual(500);
      }
    }
    expect(numbers(await collect(log.readStream(`${prefix}s`, { from: 150, limit: 901 })))).toEqual(expected.slice(150, 1051));
  });

  it('a reader may stop early', async () => {
    const { log, prefix } = fixture();
    await log.append(`${prefix}s`, events(900), 'any');
    for await (const page of log.readStream(`${prefix}s`)) {
      expect(page[0]!.data['i']).toBe(0);
      break;
    }
    expect((await log.append(`${prefix}s`, [event()], 899)).revision).toBe(900);
  });
}

export function describeReadAll(fixture: () => Fixture): void {
  /** Six events over three streams, alternating; a, b, c, a, b, c. */
  async function written({ log, prefix }: Fixture): Promise<number[]> {
    const positions: number[] = [];
    for (let i = 0; i < 6; i++) positions.push((await log.append(`${prefix}${'abc'[i % 3]}`, [event('Counted', { i })], 'any')).position!);
    return positions;
  }

  const cases: [string, (positions: number[]) => ReadAllOptions, number[]][] = [
    ['all', () => ({}), [0, 1, 2, 3, 4, 5]],
    ['limited', () => ({ limit: 2 }), [0, 1]],
    ['nothing', () => ({ limit: 0 }), []],
    ['from a position, which is included', (p) => ({ from: p[2]! }), [2, 3, 4, 5]],
    ['from between two positions', (p) => ({ from: p[2]! + 1 }), [3, 4, 5]],
    ['from a position, limited', (p) => ({ from: p[1]!, limit: 2 }), [1, 2]],
    ['from after the last', (p) => ({ from: p[5]! + 1 }), []],
    ['forwards from end', () => ({ from: 'end' }), []],
    ['backwards', () => ({ direction: 'backwards' }), [5, 4, 3, 2, 1, 0]],
    ['backwards from end, limited', () => ({ direction: 'backwards', from: 'end', limit: 2 }), [5, 4]],
    ['backwards from a position, which is excluded', (p) => ({ direction: 'backwards', from: p[2]! }), [1, 0]],
    ['backwards from just after a position', (p) => ({ direction: 'backwards', from: p[2]! + 1 }), [2, 1, 0]],
    ['from the version of a derived object, below its event', (p) => ({ from: p[4]! - 8 }), [4, 5]],
    ['backwards from there', (p) => ({ direction: 'backwards', from: p[4]! - 8 }), [3, 2, 1, 0]],
    ['backwards from start', () => ({ direction: 'backwards', from: 'start' }), []],
  ];
  it.each(cases)('%s', async (_name, options, expected) => {
    const { log, prefix } = fixture();
    const positions = await written(fixture());
    const read = await collect(log.readAll({ ...options(positions), filter: { streamPrefixes: [prefix] } }));
    expect(numbers(read)).toEqual(expected);
    for (const { position, data } of read) expect(position).toBe(positions[data['i'] as number]);
  });

  it('up to a position, where it can tell where it is', async () => {
    const { log, prefix } = fixture();
    const positions = await written(fixture());
    for (const [options, expected] of [
      [{ until: positions[2]! }, [0, 1, 2]],
      [{ until: positions[3]! - 1 }, [0, 1, 2]],
      [{ from: positions[1]!, until: positions[4]! }, [1, 2, 3, 4]],
      [{ from: positions[1]!, until: positions[4]!, limit: 2 }, [1, 2]],
      [{ until: positions[5]! + 100 }, [0, 1, 2, 3, 4, 5]],
    ] as const) {
      const read = numbers(await collect(log.readAll({ ...options, filter: { streamPrefixes: [prefix] } })));
      if (log.readsAnywhere) expect(read).toEqual(expected);
      else expect(read.slice(0, expected.length)).toEqual(expected);
    }
  });

  it('filters by one stream prefix, by several, by none', async () => {
    await written(fixture());
    const { log, prefix } = fixture();
    const read = async (...streamPrefixes: string[]): Promise<unknown[]> =>
      numbers(await collect(log.readAll({ filter: { streamPrefixes } })));
    expect(await read(`${prefix}a`)).toEqual([0, 3]);
    expect(await read(`${prefix}c`, `${prefix}a`)).toEqual([0, 2, 3, 5]);
    expect(await read(`${prefix}A`)).toEqual([]);
    expect(await read()).toEqual([]);
    const backwards = log.readAll({ direction: 'backwards', limit: 3, filter: { streamPrefixes: [`${prefix}b`, `${prefix}c`] } });
    expect(numbers(await collect(backwards))).toEqual([5, 4, 2]);
  });

  it('without a filter holds every event, in the order of positions', async () => {
    const { log } = fixture();
    const positions = await written(fixture());
    const all = await collect(log.readAll({ from: positions[0] }));
    for (const [i, { position }] of all.entries()) expect(position).toBeGreaterThan(all[i - 1]?.position ?? 0);
    expect(positions.every((position) => all.some((found) => found.position === position))).toBe(true);
  });

  it('system events are no part of it, but their streams can be read', async () => {
    const { log, prefix, target } = fixture();
    if (target.shared) return;
    const { position } = await log.append(
      `${prefix}s`,
      [event('Counted', { i: 0 }), event('$of-the-system'), event('Counted', { i: 1 })],
      'any',
    );
    await log.append(`$${prefix}system`, events(2), 'any');
    for (const streamPrefixes of [[prefix], [prefix, '$']])
      expect(numbers(await collect(log.readAll({ filter: { streamPrefixes } })))).toEqual([0, 1]);
    expect(await collect(log.readAll({ filter: { streamPrefixes: ['$'] } }))).toEqual([]);
    expect((await collect(log.readAll({ direction: 'backwards', limit: 1 })))[0]!.position).toBe(position);
    expect(await log.head()).toBe(position);
    expect(await collect(log.readStream(`$${prefix}system`))).toHaveLength(2);
    expect(await collect(log.readStream(`${prefix}s`))).toHaveLength(3);
  });

  it('reads long logs in pages, past what the filter leaves out', async () => {
    const { log, prefix } = fixture();
    for (let i = 0; i < 4; i++) await log.append(`${prefix}${i === 1 ? 'kept' : 'left'}`, events(600), 'any');
    const filter = { streamPrefixes: [`${prefix}kept`] };
    for (const direction of ['forwards', 'backwards'] as const) {
      const pages: (readonly RecordedEvent[])[] = [];
      for await (const page of log.readAll({ direction, filter })) pages.push(page);
      expect(pages.flat()).toHaveLength(600);
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(500);
    }
    expect(await collect(log.readAll({ filter, limit: 550 }))).toHaveLength(550);
  });

  it('head: the last position that a read with the filter gives', async () => {
    const { log, prefix } = fixture();
    const positions = await written(fixture());
    expect(await log.head({ streamPrefixes: [prefix] })).toBe(positions[5]);
    expect(await log.head({ streamPrefixes: [`${prefix}a`] })).toBe(positions[3]);
    expect(await log.head({ streamPrefixes: [`${prefix}none`] })).toBeUndefined();
    expect(await log.head()).toBeGreaterThanOrEqual(positions[5]!);
  });
}
