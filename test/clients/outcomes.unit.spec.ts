import { describe, expect, it } from 'vitest';
import { outcomesOf, runChecks } from './outcomes';

describe('what came of checks', () => {
  it('is read from what a program prints, whatever else it says', () => {
    const output = 'starting\nok exec: output, input\r\nnot ok logs -- they end: at once\n[ok] not this\nnot ok silent -- \n';
    expect([...outcomesOf(output)]).toEqual([
      ['exec: output, input', undefined],
      ['logs', 'they end: at once'],
      ['silent', 'it does not say why'],
    ]);
  });

  it('is told of each, also after one that failed', async () => {
    const fails = async (): Promise<void> => Promise.reject(new Error('no'));
    const outcomes = await runChecks({ first: fails, second: async () => undefined }, undefined);
    expect(outcomes.get('first')).toContain('Error: no');
    expect([outcomes.has('second'), outcomes.get('second')]).toEqual([true, undefined]);
  });
});
