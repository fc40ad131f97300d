import { describe, expect, it } from 'vitest';
import { countWhile } from './bisect';

describe('the beginning of an ordered list for which a condition holds', () => {
  it('is counted in every list of up to 9 items, whatever its length', () => {
    for (let length = 0; length <= 9; length++) {
      const items = Array.from({ length }, (_, i) => i);
      for (let bound = 0; bound <= length; bound++) expect(countWhile(items, (item) => item < bound)).toBe(bound);
    }
  });

  it('is found in a long list with as many questions as its length has bits', () => {
    const items = Array.from({ length: 1_000_000 }, (_, i) => i * 16);
    let asked = 0;
    expect(countWhile(items, (position) => (asked++, position <= 7_777_770))).toBe(486_111);
    expect(asked).toBeLessThanOrEqual(20);
  });
});
