import { expect, it } from 'vitest';
import { bytesOf, grouped, joined } from './list-text';

it.each([
  ['nothing', []],
  ['one', ['{"a":1}']],
  ['several', ['{"a":1}', '{}', '{"b":"x"}']],
  ['what takes more bytes than characters, first', ['"ü€𝄞"', '1']],
  ['what takes more bytes than characters, last', ['1', '"aü"', '"üa"']],
])('gives the bytes of a list of %s', (_, items) => {
  const text = { head: '{"items":[', items, tail: ']}' };
  expect(bytesOf(text).toString('utf8')).toBe(`{"items":[${items.join(',')}]}\n`);
  expect(`${joined(text)}\n`).toBe(bytesOf(text).toString('utf8'));
});

it('gives those of a head and a tail that are not plain either', () => {
  expect(bytesOf({ head: '["ü",', items: ['1'], tail: ',"ö"]' }).toString('utf8')).toBe('["ü",1,"ö"]\n');
});

it('gives the same of items that are put together a few at a time, however long', () => {
  const items = Array.from({ length: 1_000 }, (_, i) => `"${i}${'x€'.repeat(i)}"`);
  const groups = grouped(items, (item) => item);
  expect([...groups].length).toBeLessThan(items.length / 8);
  const whole = `[${items.join(',')}]`;
  expect(bytesOf({ head: '[', items: groups, tail: ']' }).toString('utf8')).toBe(`${whole}\n`);
  expect(joined({ head: '[', items: groups, tail: ']' })).toBe(whole);
  expect([...grouped([], String)]).toEqual([]);
});
