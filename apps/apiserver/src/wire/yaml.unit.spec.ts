import { expect, it } from 'vitest';
import { yamlOf } from './yaml';

it('quotes what would be read as something else, and only that', () => {
  const object = {
    '.': {},
    float: 1.5,
    texts: ['.', 'e5', '1.5', '1e5', '.5', '1_0.5', '8', '0x1', 'yes', 'n', '', '2026-01-01T00:00:00Z', 'a: b', "it's: so", '0o7', '😀'],
  };
  expect(yamlOf(JSON.stringify(object))).toBe(`.: {}
float: 1.5
texts:
- .
- e5
- "1.5"
- "1e5"
- ".5"
- "1_0.5"
- "8"
- "0x1"
- "yes"
- "n"
- ""
- "2026-01-01T00:00:00Z"
- 'a: b'
- 'it''s: so'
- "0o7"
- "\\U0001F600"
`);
});

it('sorts keys as Go does: what is no letter first, numbers by their value', () => {
  const keys = ['b', 'a10', 'a2', 'a', 'B', '.', 'a-b', 'ab', 'a02', '10', '9', 'a100', 'a101'];
  const text = yamlOf(JSON.stringify(Object.fromEntries(keys.map((key) => [key, true]))));
  expect(text.split(': true\n').slice(0, -1)).toEqual(['.', '"9"', '"10"', 'B', 'a', 'a-b', 'a2', 'a02', 'a10', 'a100', 'a101', 'ab', 'b']);
});
