import { describe, expect, it } from 'vitest';
import { canonicalQuantity, quantityText, parseQuantity, quantityCharactersMax, quantityMilli, quantityValue } from './quantity';

describe('a quantity', () => {
  it.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1.', '1'],
    ['.5Gi', '512Mi'],
    ['1024Ki', '1Mi'],
    ['512', '512'],
    ['1e3', '1e3'],
    ['1e400', '10e399'],
    ['25e-4', '2500e-6'],
    ['1500e0', '1500'],
    ['-1500m', '-1500m'],
    ['0.0000000001', '1n'],
    // A binary suffix has a largest value, a decimal one has none.
    ['10Ei', '9223372036854775807'],
    ['-10Ei', '-9223372036854775807'],
    ['10E', '10E'],
    ['12345678901234567890', '12345678901234567890'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it.each([
    '',
    '.',
    '+',
    '1x',
    '1 ',
    ' 1',
    'Ki',
    '1KiB',
    '1e',
    '1e1000',
    '--1',
    '1..2',
    '1.2.3',
    '0x1',
    '1_000',
    '1'.repeat(quantityCharactersMax + 1),
  ])('%j is none', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
    expect([quantityValue(text), quantityMilli(text)]).toEqual([0, 0]);
  });

  it('is rounded up to what is asked for', () => {
    expect([quantityValue('1.2'), quantityMilli('1.0001'), quantityValue('-1.2'), quantityValue(undefined)]).toEqual([2, 1001, -1, 0]);
  });
});

it.each([
  ['3.', '3.'],
  ['+5', '+5'],
  ['1.500', '1.500'],
  ['1.5', '1500m'],
  ['1000m', '1'],
  ['0.5', '500m'],
  ['2000', '2k'],
  ['012Mi', '012Mi'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['1E3', '1E3'],
  ['110', '110'],
])('a quantity that is sent as %s is written as %s', (text, written) => {
  expect(quantityText(text)).toBe(written);
  expect(quantityText(written)).toBe(written);
});
