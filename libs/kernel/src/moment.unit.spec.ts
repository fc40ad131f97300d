import { describe, expect, it } from 'vitest';
import { momentsOfDay, parseMoment } from './moment';

const now = Date.parse('2026-03-04T12:00:00Z');

describe('parseMoment', () => {
  it.each([
    ['4128', { kind: 'position', position: 4128 }],
    ['-5m', { kind: 'time', time: now - 300_000 }],
    ['5m', { kind: 'time', time: now - 300_000 }],
    ['1h30m', { kind: 'time', time: now - 5_400_000 }],
    ['1.5s', { kind: 'time', time: now - 1_500 }],
    ['2026-03-04T11:00:00Z', { kind: 'time', time: now - 3_600_000 }],
    ['2026-03-04T11:00:00.250+01:00', { kind: 'time', time: now - 7_200_000 + 250 }],
    ['9:05', { kind: 'time-of-day', ofDayMs: 32_700_000, text: '9:05' }],
    ['12:44:22.838', { kind: 'time-of-day', ofDayMs: 45_862_838, text: '12:44:22.838' }],
    ['before:x-1', { kind: 'before', id: 'x-1' }],
  ])('%s', (text, expected) => {
    expect(parseMoment(text, now)).toEqual(expected);
  });

  it.each(['', 'yesterday', '24:00', '12:60', '-5', '5x', '2026-03-04', '2026-13-40T00:00:00Z', `${'1m'.repeat(50_000)}x`])(
    'refuses %.20s',
    (text) => {
      expect(parseMoment(text, now)).toBeUndefined();
    },
  );

  it('finds the days of a time of day, latest first, none in the future', () => {
    const ofDay = 13 * 3_600_000;
    expect(momentsOfDay(ofDay, now - 3 * 86_400_000, now).map((time) => new Date(time).toISOString())).toEqual([
      '2026-03-03T13:00:00.000Z',
      '2026-03-02T13:00:00.000Z',
      '2026-03-01T13:00:00.000Z',
    ]);
  });
});
