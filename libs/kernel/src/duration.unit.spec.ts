import { describe, expect, it } from 'vitest';
import { goDuration, parseDuration } from './duration';

describe('durations', () => {
  it.each<[string, number | undefined]>([
    ['250ms', 250],
    ['1.5s', 1_500],
    ['1m30s', 90_000],
    ['1d', 86_400_000],
    ['', undefined],
    ['10', undefined],
    ['-5m', undefined],
    ['5 m', undefined],
  ])('%j is %j ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it('leaves out units that are not meant', () => {
    expect(parseDuration('1d2h', ['d'])).toBeUndefined();
    expect(parseDuration('2h', ['d'])).toBe(7_200_000);
  });

  it.each<[number, string]>([
    [0, '0s'],
    [250, '250ms'],
    [10_000, '10s'],
    [80_000, '1m20s'],
    [300_000, '5m0s'],
    [3_600_000, '1h0m0s'],
  ])('%d ms are written %s', (ms, text) => {
    expect(goDuration(ms)).toBe(text);
  });
});
