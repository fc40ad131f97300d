import { describe, expect, it } from 'vitest';
import { firstReadable, settingsOf, SOFT_DELETE_DIGITS, withTruncateBefore } from './stream-settings';

describe('stream metadata', () => {
  it('hides events by count, by revision, or all of them', () => {
    expect(firstReadable(undefined, 9)).toBe(0);
    expect(firstReadable(settingsOf({ $maxCount: 3 }), 9)).toBe(7);
    expect(firstReadable(settingsOf({ $maxCount: 30 }), 9)).toBe(0);
    expect(firstReadable(settingsOf({ $tb: 5 }), 9)).toBe(5);
    expect(firstReadable(settingsOf({ $tb: 5, $maxCount: 2 }), 9)).toBe(8);
    expect(firstReadable(settingsOf({ $tb: 12 }), 9)).toBe(12);
    expect(settingsOf({ $maxAge: 60 }).maxAgeMs).toBe(60_000);
  });

  it('knows a soft delete although JSON numbers cannot hold its digits', () => {
    const text = withTruncateBefore({ owner: 'me', $tb: 3 }, SOFT_DELETE_DIGITS);
    expect(text).toBe('{"owner":"me","$tb":9223372036854775807}');
    expect(settingsOf(JSON.parse(text)).softDeleted).toBe(true);
    expect(settingsOf({ $tb: 2 ** 53 - 1 }).softDeleted).toBe(false);
  });

  it('takes what it does not understand for absent', () => {
    for (const odd of [undefined, null, 3, 'x', [], {}, { $tb: 'x', $maxCount: -1, $maxAge: null }, { $maxCount: 0 }, { $tb: NaN }]) {
      const settings = settingsOf(odd);
      expect([settings.softDeleted, firstReadable(settings, 9), settings.maxAgeMs]).toEqual([false, 0, undefined]);
    }
    expect(withTruncateBefore(undefined, '7')).toBe('{"$tb":7}');
  });
});
