import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Round, TapedMark, TapedStep } from './round';
import { decodeTape, encodeRound, encodeTape, endOfTape } from './tape';
import { TapeError } from './varints';

const count = fc.nat({ max: 2 ** 40 });
const small = fc.nat({ max: 40 });
const step: fc.Arbitrary<TapedStep> = fc.oneof(
  fc.constantFrom<TapedStep>({ kind: 'written' }, { kind: 'unchanged' }, { kind: 'skipped' }, { kind: 'unled' }),
  fc.record({
    kind: fc.constant('refused' as const),
    code: fc.constantFrom(403, 409, 500),
    message: fc.string({ unit: 'grapheme' }),
    isUncertain: fc.boolean(),
    lacksRecord: fc.boolean(),
  }),
);
const outcome = fc.oneof(
  fc.constantFrom({ kind: 'done' as const }, { kind: 'unrecorded' as const }, { kind: 'unled' as const }),
  fc.record({ kind: fc.constant('steps' as const), steps: fc.array(step, { maxLength: 4 }) }),
);
const mark: fc.Arbitrary<TapedMark> = fc.record({
  kind: fc.constantFrom('stopped' as const, 'barred' as const, 'freed' as const),
  controller: small,
});
const round: fc.Arbitrary<Round> = fc.record({
  position: count,
  now: count,
  settlements: fc.array(fc.record({ controller: small, ordinal: count, outcome }), { maxLength: 3 }),
  marks: fc.array(mark, { maxLength: 3 }),
});

describe('a tape', () => {
  it('is read as it was written, whatever it is measured from', () => {
    fc.assert(
      fc.property(count, fc.array(round, { maxLength: 5 }), fc.record({ position: count, time: count }), (first, rounds, base) => {
        const text = encodeTape(first, rounds.map(encodeRound), base);
        expect(decodeTape(text, base)).toEqual({ first, rounds });
        expect(endOfTape(text)).toBe(first + rounds.length);
      }),
    );
  });

  it('takes a few bytes a round', () => {
    const rounds = Array.from({ length: 10 }, (_, i) => {
      const settlements = [{ controller: 3, ordinal: 1_000 + i, outcome: { kind: 'done' as const } }];
      return encodeRound({ position: 40_000 + 2 * i, now: 1e12 + 3 * i, settlements, marks: [] });
    });
    expect(Buffer.from(encodeTape(5_000, rounds, { position: 40_001, time: 1e12 + 1 }), 'base64url').length).toBeLessThanOrEqual(75);
  });

  it('that was cut or made up is an error, not a guess', () => {
    const text = encodeTape(7, [encodeRound({ position: 9, now: 9, settlements: [], marks: [] })], { position: 9, time: 9 });
    for (const wrong of [text.slice(0, -2), `${text}AA`, '', Buffer.from([1, 1, 0, 0, 1, 1, 9, 9]).toString('base64url')])
      expect(() => decodeTape(wrong, { position: 9, time: 9 })).toThrow(TapeError);
  });
});
