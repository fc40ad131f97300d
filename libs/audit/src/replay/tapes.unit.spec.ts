import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { encodeRound, encodeTape, type Round } from '#libs/events';
import { Findings } from '../verify/finding';
import { Tapes } from './tapes';

const start = Date.UTC(2026, 0, 1);
const roundAt = (number: number): Round => ({ position: 16 * (number + 1), now: start + number * 1_000, settlements: [], marks: [] });

/** A log as it comes: appends of one event each, with what stands on their tapes. */
function logOf() {
  const findings = new Findings();
  const tapes = new Tapes(findings);
  let position = 0;
  const append = (writer: string, type: string, first?: number, ...rounds: Round[]): void => {
    position += 1_600;
    const base = { position: position - 16, time: start };
    const tape = first === undefined ? {} : { tape: encodeTape(first, rounds.map(encodeRound), base) };
    const metadata = { i: 1, n: 1, writer, at: base.position, time: base.time, ...tape };
    tapes.add({
      id: `e${position}`,
      type,
      stream: `local.x/${writer}`,
      revision: 0,
      position,
      data: {},
      metadata,
    } as never as RecordedEvent);
  };
  return { tapes, append, found: () => findings.listed.map(({ text }) => text) };
}

const roundsOf = (tapes: Tapes, writer: string): Round[] => [...tapes.writers.get(writer)!.rounds.read()];
const remembered = (tapes: Tapes): string[] => [...tapes.writers].filter(([, { newest }]) => newest.size > 0).map(([name]) => name);

describe('the tapes of a writer', () => {
  it('are put together where they overlap, and held against each other there', () => {
    const { tapes, append, found } = logOf();
    append('w', 'StatusUpdated', 0, roundAt(0), roundAt(1));
    append('w', 'StatusUpdated', 1, roundAt(1), roundAt(2));
    expect(roundsOf(tapes, 'w')).toEqual([0, 1, 2].map(roundAt));
    expect(found()).toEqual([]);
    append('w', 'StatusUpdated', 2, { ...roundAt(2), now: start });
    expect(found()).toEqual(['its tape has round 2 otherwise than one before it']);
  });

  it('are kept as rounds alone once it has stopped: nothing repeats them any more', () => {
    const { tapes, append, found } = logOf();
    append('w', 'ProcessStarted', 0, roundAt(0));
    append('w', 'StatusUpdated', 1, roundAt(1));
    expect(remembered(tapes)).toEqual(['w']);
    append('w', 'ProcessStopped', 1, roundAt(1), roundAt(2));
    expect(remembered(tapes)).toEqual([]);
    expect(roundsOf(tapes, 'w')).toEqual([0, 1, 2].map(roundAt));
    expect(found()).toEqual([]);
  });
});

describe('of more writers than write at once', () => {
  const names = Array.from({ length: 32 }, (_, i) => `w${i}`);

  it('the one is let go of that has been silent for longest', () => {
    const { tapes, append } = logOf();
    for (const name of names) append(name, 'StatusUpdated', 0, roundAt(0));
    append('w0', 'StatusUpdated', 1, roundAt(1));
    expect(remembered(tapes)).toEqual(names);
    append('one-more', 'StatusUpdated', 0, roundAt(0));
    expect(remembered(tapes)).toEqual([...names, 'one-more'].filter((name) => name !== 'w1'));
  });

  it('it may go on all the same, and so does its tape', () => {
    const { tapes, append, found } = logOf();
    for (const name of [...names, 'one-more']) append(name, 'StatusUpdated', 0, roundAt(0));
    expect(remembered(tapes)).not.toContain('w0');
    append('w0', 'StatusUpdated', 0, roundAt(0), roundAt(1));
    append('w0', 'StatusUpdated', 3, roundAt(3));
    expect(roundsOf(tapes, 'w0')).toEqual([0, 1].map(roundAt));
    expect(found()).toEqual(['1 rounds of its writer before those on its tape are on no tape before it']);
  });

  it('those that have stopped do not count', () => {
    const { tapes, append } = logOf();
    for (const name of names) append(name, 'StatusUpdated', 0, roundAt(0));
    append('w5', 'ProcessStopped');
    append('one-more', 'StatusUpdated', 0, roundAt(0));
    expect(remembered(tapes)).toEqual([...names, 'one-more'].filter((name) => name !== 'w5'));
  });
});
