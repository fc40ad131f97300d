import { describe, expect, it } from 'vitest';
import { int64Digits, int64Max, int64Min, jsonText, nearestInt64 } from './int64';

describe('the ends of int64', () => {
  it.each([
    [9223372036854775807n, '9223372036854775807'],
    [-9223372036854775808n, '-9223372036854775808'],
    [1000000000000000000n, '1000000000000000000'],
    [-5n, '-5'],
  ])('%s is written whole', (value, digits) => {
    expect(int64Digits(nearestInt64(Number(value)))).toBe(digits);
    expect(jsonText({ a: [nearestInt64(Number(value))] })).toBe(`{"a":[${digits}]}`);
  });

  it('are no text that looks like them, and leave all else alone', () => {
    const value = {
      text: 'a:9223372036854775000,',
      high: int64Max,
      low: int64Min,
      near: 2 ** 62,
      list: [1.5, null, true],
      none: undefined,
    };
    expect(jsonText(value)).toBe(
      '{"text":"a:9223372036854775000,","high":9223372036854775807,"low":-9223372036854775808,"near":4611686018427388000,"list":[1.5,null,true]}',
    );
    expect(jsonText({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
    expect(jsonText(undefined)).toBeUndefined();
  });
});
