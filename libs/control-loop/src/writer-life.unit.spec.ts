import { describe, expect, it } from 'vitest';
import { LogUnavailableError, OutcomeUnknownError } from '#libs/event-log';
import type { AppendNumber } from './append-numbers';
import { WriterLife } from './writer-life';

/** A writer whose appends are answered when the test says so. */
function underTest() {
  const given: AppendNumber[] = [];
  const life = new WriterLife(async (number) => void given.push(number));
  const append = (): { written(): Promise<void>; failed(error: Error): Promise<void> } => {
    let settle: { resolve(): void; reject(error: Error): void } | undefined;
    const done = life.numbered((number) => (given.push(number), new Promise<void>((resolve, reject) => (settle = { resolve, reject }))));
    const answered = (): Promise<void> => done.catch(() => undefined);
    return {
      written: () => (settle?.resolve(), answered()),
      failed: (error) => (settle?.reject(error), answered()),
    };
  };
  return { given, life, append };
}

describe('the appends of a writer', () => {
  it('begin with the record of its start, and each says how far back the oldest unanswered one lies', async () => {
    const { given, life, append } = underTest();
    await life.begin();
    const [first, second] = [append(), append()];
    await second.written();
    append();
    await first.written();
    append();
    expect(given).toEqual([{ w: 1 }, { w: 2 }, { w: 3, open: 1 }, { w: 4, open: 2 }, { w: 5, open: 1 }]);
  });

  it('have no gap where one is refused: its number is given again', async () => {
    const { given, life, append } = underTest();
    await life.begin();
    await append().failed(new LogUnavailableError('away'));
    append();
    append();
    expect(given.map(({ w }) => w)).toEqual([1, 2, 2, 3]);
  });

  it('say whose outcome nobody knows, until an append that says so is written', async () => {
    const { given, life, append } = underTest();
    await life.begin();
    await append().failed(new OutcomeUnknownError('no answer'));
    await append().failed(new LogUnavailableError('away'));
    await append().written();
    append();
    expect(given.slice(2)).toEqual([{ w: 3, lost: [2] }, { w: 3, lost: [2] }, { w: 4 }]);
  });

  it('end with the record of its stop, which names the numbers that nobody has', async () => {
    const { life, append } = underTest();
    await life.begin();
    const [first, second, third] = [append(), append(), append()];
    await Promise.all([first.failed(new LogUnavailableError('away')), second.failed(new LogUnavailableError('away')), third.written()]);
    const stops: unknown[] = [];
    await life.end(async (number, absent) => void stops.push({ number, absent }));
    expect(stops).toEqual([{ number: { w: 3, open: 1 }, absent: [2] }]);
    await expect(life.numbered(async () => 0)).rejects.toThrow('has ended');
  });

  it('have no record of a stop where one of them stays without an answer', async () => {
    const { life, append } = underTest();
    await life.begin();
    append();
    let isStopped = false;
    await life.end(async () => void (isStopped = true));
    expect(isStopped).toBe(false);
  });
});
