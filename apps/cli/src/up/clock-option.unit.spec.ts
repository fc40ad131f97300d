import { expect, it } from 'vitest';
import { parseClock } from './clock-option';

it.each([
  ['real', { speed: 1 }],
  ['×60', { speed: 60 }],
  ['x0.5', { speed: 0.5 }],
  ['×600,from=7d', { speed: 600, behindMs: 7 * 86_400_000 }],
])('a clock is %s', (text, setting) => {
  expect(parseClock(text)).toEqual(setting);
});

it.each(['60', '×0', '×20000', '×60,from=', '×60,from=yesterday', '×1,from=1h', '×60,to=1h'])('no clock is %s', (text) => {
  expect(() => parseClock(text)).toThrow(`--clock: "${text}" is not understood`);
});
