import { describe, expect, it } from 'vitest';
import { compile, declareType, Environment, kubernetesFunctions, LimitedMeter, valueOf, type Schema } from './index';

const functions = kubernetesFunctions({});
const schema: Schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    name: { type: 'string', maxLength: 10 },
    items: { type: 'array', maxItems: 100, items: { type: 'integer' } },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    'dotted.name': { type: 'string' },
    anything: { 'x-kubernetes-int-or-string': true },
  },
};
const declared = declareType(schema, 'selfType');
if (!declared) throw new Error('the schema has no type');
const environment = new Environment(functions, new Map([['self', { type: declared.type, declared }]]));

function evaluate(text: string, self: unknown = {}): unknown {
  return compile(text, environment)
    .program()
    .evaluate({ self: valueOf(self, schema) });
}

describe('an expression', () => {
  it('is compiled once and asked of many values', () => {
    const program = compile('self.replicas <= 5', environment).program();
    expect([3, 5, 6].map((replicas) => program.evaluate({ self: valueOf({ replicas }, schema) }))).toEqual([true, true, false]);
  });

  it('tells every error with its place and line', () => {
    expect(() => compile('self.nam == 1 &&\nself.name > 2', environment)).toThrow(
      [
        "ERROR: <input>:1:5: undefined field 'nam'",
        ' | self.nam == 1 &&',
        ' | ....^',
        "ERROR: <input>:2:11: found no matching overload for '_>_' applied to '(string, int)'",
        ' | self.name > 2',
        ' | ..........^',
      ].join('\n'),
    );
  });

  it('that is empty is told of before its beginning', () => {
    expect(() => compile('', environment)).toThrow("ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'['");
  });

  it('counts whole numbers in 64 bits', () => {
    expect(evaluate('9223372036854775806 + 1')).toBe(2n ** 63n - 1n);
    expect(() => evaluate('9223372036854775807 + 1')).toThrow('integer overflow');
    expect(evaluate('dyn(1) == 1.0 && dyn(1u) == 1')).toBe(true);
  });

  it('takes the side of && and || that decides, whatever becomes of the other', () => {
    expect(evaluate('1 / 0 == 1 || true')).toBe(true);
    expect(evaluate('false && 1 / 0 == 1')).toBe(false);
    expect(() => evaluate('1 / 0 == 1 && true')).toThrow('division by zero');
    expect(evaluate('self.items.exists(i, 1 / i == 1)', { items: [0, 1] })).toBe(true);
  });

  it('compares sets in any order, and names properties that no text could', () => {
    expect(evaluate("self.tags == ['b', 'a']", { tags: ['a', 'b'] })).toBe(true);
    expect(evaluate('self.dotted__dot__name', { 'dotted.name': 'x' })).toBe('x');
    expect(evaluate('has(self.replicas)', { replicas: null })).toBe(false);
  });

  it('is estimated by the sizes that the schema allows', () => {
    const cost = (text: string): number => compile(text, environment).estimatedCost();
    expect(cost('self.items.all(i, i > 0)')).toBe(3 + 100 * 5);
    expect(cost('self.tags.all(t, t.size() > 0)')).toBeGreaterThan(1_000_000);
  });
});

describe('hostile expressions', () => {
  it.each([
    ['many brackets', `${'('.repeat(3_000)}1${')'.repeat(3_000)}`],
    ['a long sum', Array.from({ length: 20_000 }, () => '1').join(' + ')],
    ['a long way', `self${'.name'.repeat(10_000)}`],
    ['many negations in brackets', `${'!('.repeat(1_000)}true${')'.repeat(1_000)}`],
  ])('%s are refused', (_, text) => {
    expect(() => compile(text, environment)).toThrow(/recursion/);
  });

  it('a text beyond the limit is refused unread', () => {
    expect(() => compile('x'.repeat(100_001), environment)).toThrow('expression code point size exceeds limit: size: 100001, limit 100000');
  });

  it('an evaluation ends at its limit, even where || would pass over an error', () => {
    const items = Array.from({ length: 2_000 }, (_, index) => index);
    const program = compile('true && self.items.all(a, self.items.all(b, a + b >= 0)) || true', environment).program();
    expect(() => program.evaluate({ self: valueOf({ items }, schema) }, new LimitedMeter(1_000_000))).toThrow('actual cost limit exceeded');
  });

  it('a pattern takes no more than its text is long', () => {
    expect(evaluate("self.name.matches('^(a+)+$')", { name: `${'a'.repeat(40)}!` })).toBe(false);
  });

  it('a short format text makes no long one', () => {
    expect((evaluate("'%.999999999f'.format([1.5])") as string).length).toBeLessThan(2_000);
  });
});
