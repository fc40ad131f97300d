import { describe, expect, it } from 'vitest';
import { parseHistory } from './history-option';

describe('--history', () => {
  it('is a size, or all', () => {
    expect(parseHistory(undefined, true)).toBe(256 * 1024 * 1024);
    expect(parseHistory('2Gi', true)).toBe(2 * 1024 ** 3);
    expect(parseHistory('all', true)).toBeUndefined();
  });

  it('is refused where it means nothing', () => {
    for (const text of ['', 'much', '-5Mi', '1Ki', '0']) expect(() => parseHistory(text, true)).toThrow(/--history: ".*" is no size/);
    expect(() => parseHistory('1Gi', false)).toThrow(/bounds what a cluster in memory keeps/);
  });
});
