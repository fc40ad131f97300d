import { describe, expect, it } from 'vitest';
import { sumUp, totalLine } from './command';
import { sessionLines, type SessionResult } from './play-result';
import { numbersIn, tellWaiting } from './waiting';

const step = (number: number, ...texts: string[]) => ({ step: number, differences: texts.map((text) => ({ path: 'a', text })) });
const result: SessionResult = { session: 's', total: 5, steps: [step(1), step(2, 'x'), step(3, 'y'), step(4, 'z')], seconds: 0 };
const listed = { api: { s: { quota: '1-2', tokens: '4' } } };

describe('steps that wait', () => {
  it('are listed as ranges', () => {
    expect(numbersIn('1-3,7')).toEqual([1, 2, 3, 7]);
  });

  it('count as neither passed nor failed; what agrees is not among them, nor what was not reached', () => {
    const [told] = tellWaiting('api', [result], listed) as [SessionResult];
    expect(told.steps.map(({ waitsFor }) => waitsFor)).toEqual([undefined, 'quota', undefined, 'tokens']);
    expect(sumUp([told])).toEqual({ passed: 1, failed: 2, waiting: 2 });
    expect(totalLine(sumUp([told]))).toBe('2 wait; 1 passed, 2 failed');
    expect(sessionLines(told, false)).toEqual(['s: 1/5', '  1 wait for quota', '  1 wait for tokens', '  step 3: a: y']);
    expect(sessionLines(told, true)).toContain('  step 2: a: x');
  });

  it('are those of one player', () => {
    expect(sumUp(tellWaiting('kubectl', [result], listed))).toEqual({ passed: 1, failed: 4, waiting: 0 });
  });
});
