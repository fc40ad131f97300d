import { describe, expect, it } from 'vitest';
import { parseCompaction } from './compaction-option';

describe('--compact-after', () => {
  it('is a duration, a number of events, or a version', () => {
    expect(parseCompaction(undefined)).toBeUndefined();
    expect(parseCompaction('5m')).toEqual({ ageMs: 300_000 });
    expect(parseCompaction('0')).toEqual({ events: 0 });
    expect(parseCompaction('1000')).toEqual({ events: 1_000 });
    expect(parseCompaction('@812')).toEqual({ version: 812 });
  });

  it('is refused as anything else', () => {
    for (const text of ['', '-1', 'soon', '@', '1.5', '5x'])
      expect(() => parseCompaction(text)).toThrow(/--compact-after: ".*" is not understood/);
  });
});
