import { describe, expect, it } from 'vitest';
import { Checkpoints } from './checkpoints';

/** Commit positions told, in their order, when events at 10, 20, … are looked at; the first `history` of them before it is live. */
function told(checkpoints: Checkpoints, events: readonly boolean[], history: number): (number | string)[] {
  const seen: (number | string)[] = [];
  const note = (checkpoint: { commit: number } | undefined): void => {
    if (checkpoint) seen.push(checkpoint.commit);
  };
  for (const [i, fits] of events.entries()) {
    if (i === history) {
      note(checkpoints.goLive());
      seen.push('live');
    }
    const position = (i + 1) * 10;
    note(checkpoints.before(position));
    note(checkpoints.after(position, fits));
  }
  if (events.length === history) note(checkpoints.goLive());
  return seen;
}

const none = (count: number): boolean[] => Array.from({ length: count }, () => false);

describe('checkpoints', () => {
  it('in history: the last event of a page that fits, else where the page began', () => {
    const fits = [...none(4), true, ...none(6), true, false];
    expect(told(new Checkpoints(5, 1, true), fits, fits.length)).toEqual([50, 60]);
    expect(told(new Checkpoints(5, 1, true), none(6), 6)).toEqual([0]);
    expect(told(new Checkpoints(5, 1, false), none(6), 6)).toEqual([10]);
  });

  it('a page that is full at the head is told of before it is live', () => {
    expect(told(new Checkpoints(5, 1, false), none(10), 10)).toEqual([10, 60]);
  });

  it('a page ends with 32 events that fit', () => {
    const fits = Array.from({ length: 40 }, () => true);
    expect(told(new Checkpoints(1000, 1, true), fits, 40)).toEqual([]);
    expect(told(new Checkpoints(32, 1, true), fits, 40)).toEqual([320]);
  });

  it('live: every so many events, those of history that were not told of included', () => {
    expect(told(new Checkpoints(5, 1, false), none(12), 3)).toEqual(['live', 50, 100]);
    expect(told(new Checkpoints(2, 2, false), none(9), 0)).toEqual(['live', 40, 80]);
  });
});
