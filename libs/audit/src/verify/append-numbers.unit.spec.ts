import { expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { AppendNumbersCheck } from './append-numbers';
import { Findings } from './finding';

/** What is found in a log of one writer whose appends say this of their numbers. */
function foundIn(appends: readonly { w: number; open?: number; lost?: number[] }[], absent: number[] = []): string[] {
  const findings = new Findings();
  const check = new AppendNumbersCheck('local', findings);
  const all = [
    ...appends.map((notes) => ({ type: 'Created', notes })),
    { type: 'ProcessStopped', notes: { w: (appends.at(-1)?.w ?? 0) + 1, open: absent.length > 0 ? 2 : 0 } },
  ];
  all.forEach(({ type, notes }, index) => {
    const event = { type, stream: 'local.pods-default/p', revision: index, position: 16 * index, id: 'i', data: { absent } };
    check.append([{ ...event, metadata: { ...notes, writer: 'a', actor: 'user:a' } } as unknown as RecordedEvent]);
  });
  return findings.listed.map(({ text }) => text);
}

it('appends come in another order than that of their numbers, within what was on its way', () => {
  expect(foundIn([{ w: 1 }, { w: 3, open: 1 }, { w: 2, open: 0 }, { w: 4 }])).toEqual([]);
});

it('what the writer does not know, and what it gave up, is not missed', () => {
  expect(foundIn([{ w: 1 }, { w: 3, lost: [2] }, { w: 5, open: 1 }], [4])).toEqual([]);
});

it('what is missing is told as far as it is missing', () => {
  expect(foundIn([{ w: 1 }, { w: 4 }])).toEqual(['appends 2 to 3 of a are not all there before it']);
  expect(foundIn([{ w: 1 }, { w: 3, open: 1 }, { w: 5 }])).toEqual(['appends 2 to 4 of a are not all there before it']);
});

it('a number as large as nobody has written is a finding, and no long search', () => {
  expect(foundIn([{ w: 1 }, { w: 1e15 }])).toEqual(['appends 2 to 999999999999999 of a are not all there before it']);
  expect(foundIn([{ w: 1 }], [1e15])).toEqual(['appends 3 to 999999999999999 of a are not all there before it']);
});
