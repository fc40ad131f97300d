import { describe, expect, it } from 'vitest';
import { spanOf } from './clock-notices';

describe('a span of time in words', () => {
  it.each([
    [0, '0s'],
    [999, '1s'],
    [61_000, '1m1s'],
    [3_600_000, '1h'],
    [3_600_000 * 25 + 61_000, '1d1h'],
    [864_000_000, '10d'],
  ])('%i ms: %s', (ms, text) => {
    expect(spanOf(ms)).toBe(text);
  });
});
