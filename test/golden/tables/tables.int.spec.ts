import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import { sessionLines, type SessionResult } from '../play-result';
import { cutDown, withAnyListVersion, withoutCurrent } from './left-open';
import known from './known-differences.json';
import { playAllTables } from './main';

const folder = goldenFolder('tables');

/** `table-nodes 11`: a line and its step, as the list of known differences has them. */
const namesOf = (results: readonly SessionResult[], wanted: (differs: boolean) => boolean): string[] =>
  results.flatMap(({ session, steps }) =>
    steps.filter(({ differences }) => wanted(differences.length > 0)).map(({ step }) => `${session} ${step}`),
  );

it.skipIf(!folder)(
  'recorded tables and lists agree, but for steps that are known not to',
  async () => {
    const results = await playAllTables(folder as string, [], { values: {} });
    expect(results.filter(({ unplayed }) => unplayed !== undefined).flatMap((result) => sessionLines(result, true))).toEqual([]);
    expect(namesOf(results, (differs) => differs)).toEqual(known);
    expect(namesOf(results, () => true).length).toBeGreaterThan(650);
  },
  120_000,
);

describe('what recorded tables leave open', () => {
  it('is the version of a list and not that of an object', () => {
    const list = { kind: 'Table', metadata: { resourceVersion: '<rv:9>', remainingItemCount: 3 } };
    expect(withAnyListVersion(list, true)).toEqual({ kind: 'Table', metadata: { resourceVersion: '<rv>', remainingItemCount: 3 } });
    expect(withAnyListVersion(list, false)).toBe(list);
  });

  it('is what others wrote: rows and items of no object of the set-up', () => {
    const object = (name: string) => ({ metadata: { name } });
    const table = {
      rows: [
        { cells: ['1s'], object: object('a') },
        { cells: ['b'], object: null },
        { cells: ['c'], object: object('c') },
      ],
    };
    expect(cutDown(table, new Set(['a', 'b']))).toEqual({ rows: table.rows.slice(0, 2) });
    expect(cutDown({ items: [object('a'), object('z')] }, new Set(['a']))).toEqual({ items: [object('a')] });
  });

  it('is the number in `current:`, and nothing else of a message', () => {
    expect(withoutCurrent('Too large: 9, current: 12')).toBe(withoutCurrent('Too large: 9, current: <current>'));
    expect(withoutCurrent('Too large: 9, current: 12')).not.toBe(withoutCurrent('Too large: 8, current: 12'));
  });
});
