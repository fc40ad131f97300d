import { describe, expect, it } from 'vitest';
import type { Round } from '#libs/events';
import { RoundBuffer } from './round-buffer';

const roundOf = (i: number): Round => ({
  position: 16 * i,
  now: 1_700_000_000_000 + i * 500 - (i % 7),
  settlements: i % 3 === 0 ? [{ controller: i % 5, ordinal: i, outcome: { kind: 'done' } }] : [],
  marks: i % 100 === 0 ? [{ kind: 'barred', controller: 1 }] : [],
});
const rounds = Array.from({ length: 1_000 }, (_, i) => roundOf(i));

describe('the rounds of a writer', () => {
  it('come back in their order, however often they are read', () => {
    const buffer = new RoundBuffer();
    for (const round of rounds) buffer.push(round);
    expect(buffer.length).toBe(1_000);
    expect([...buffer.read()]).toEqual(rounds);
    expect([...buffer.read()]).toEqual(rounds);
  });

  it('go on after they were packed', () => {
    const buffer = new RoundBuffer();
    for (const round of rounds.slice(0, 300)) buffer.push(round);
    buffer.pack();
    buffer.pack();
    for (const round of rounds.slice(300)) buffer.push(round);
    expect([...buffer.read()]).toEqual(rounds);
  });

  it('are none where none were taken', () => {
    const buffer = new RoundBuffer();
    buffer.pack();
    expect([...buffer.read()]).toEqual([]);
    expect(buffer.length).toBe(0);
  });
});
