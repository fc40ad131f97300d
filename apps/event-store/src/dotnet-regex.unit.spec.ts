import { describe, expect, it } from 'vitest';
import { dotnetRegex } from './dotnet-regex';

describe("regular expressions of .NET in JavaScript's", () => {
  const cases: [expression: string, fits: string[], not: string[]][] = [
    ['^order-', ['order-1'], ['an order-1']],
    ['(?i)^ORDER-a$', ['order-A'], ['order-b']],
    ['\\Aa\\z', ['a'], ['a\n', 'ba']],
    ['a\\Z', ['a', 'a\n'], ['a\n\n']],
    ['a$', ['a', 'a\n'], ['ab']],
    ['(?m)^b$', ['a\nb\nc'], ['ab']],
    ['^a.c$', ['abc', 'a\rc'], ['a\nc']],
    ['(?s)^a.c$', ['a\nc'], []],
    ['^(?>a+)b', ['aaab'], ['aaac']],
    ['^(?>a|ab)c', ['ac'], ['abc']],
    ['(?<year>\\d{4})-', ['2026-1'], ['26-1']],
    ["(?'n'x)y", ['xy'], ['x']],
    ['a(?#a comment)b', ['ab'], ['a b']],
    ['(?x) a b # the rest', ['ab'], ['a b']],
    ['[]a]', [']', 'a'], ['b']],
    ['[^$]\\$', ['a$'], ['$$']],
    ['a(?=b)(?!bc)', ['abd'], ['abc']],
  ];
  it.each(cases)('%s', (expression, fits, not) => {
    const regex = dotnetRegex(expression);
    expect(fits.filter((text) => !regex.test(text))).toEqual([]);
    expect(not.filter((text) => regex.test(text))).toEqual([]);
  });

  it.each(['(', 'a)', '[a', '*', 'a{2,1}', '(?<x', '(?P<a>x)', '\\', '[a-z-[aeiou]]', '(?>a', '\\p{IsGreek}'])(
    'refuses %s',
    (expression) => {
      expect(() => dotnetRegex(expression)).toThrow(SyntaxError);
    },
  );
});
