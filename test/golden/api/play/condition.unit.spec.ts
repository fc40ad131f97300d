import { describe, expect, it } from 'vitest';
import { condition } from './condition';

describe('until expressions', () => {
  const cases: [expression: string, j: unknown, status: number, holds: boolean][] = [
    ['status==200', {}, 200, true],
    ['status==200', {}, 404, false],
    ["len(j['items'])==1", { items: [1] }, 200, true],
    ["len(j['items'])==1", {}, 200, false],
    ["j.get('code') == 404", { code: 404 }, 404, true],
    ["j.get('code') == 404", {}, 200, false],
    ["j['status'].get('nominatedNodeName')", { status: { nominatedNodeName: 'n' } }, 200, true],
    ["j['status'].get('nominatedNodeName')", { status: { nominatedNodeName: '' } }, 200, false],
    ["not j['spec'].get('taints')", { spec: { taints: [] } }, 200, true],
    ["not j['spec'].get('taints')", { spec: { taints: [{}] } }, 200, false],
    ["'hard' in j['status']", { status: { hard: {} } }, 200, true],
    ["j['status']['used']['pods'] == '1'", { status: { used: { pods: '1' } } }, 200, true],
    ["j['status']['used']['pods'] == '1'", { status: { used: { pods: 1 } } }, 200, false],
    ["j['a'].get('b') == 1 and (not j['a'].get('c'))", { a: { b: 1 } }, 200, true],
    ["j['a'].get('b') == 1 and (not j['a'].get('c'))", { a: { b: 1, c: { x: 1 } } }, 200, false],
    ["len(j['items']) == 2 and all((p['n'].get('x') for p in j['items']))", { items: [{ n: { x: 1 } }, { n: { x: 2 } }] }, 200, true],
    ["len(j['items']) == 2 and all((p['n'].get('x') for p in j['items']))", { items: [{ n: { x: 1 } }, { n: {} }] }, 200, false],
    ["sum((1 for p in j['items'] if not p['m'].get('d'))) == 1", { items: [{ m: { d: 1 } }, { m: {} }] }, 200, true],
    [
      "any((c['t'] == 'A' and c['s'] == 'True' for c in j['status'].get('conditions', [])))",
      { status: { conditions: [{ t: 'A', s: 'True' }] } },
      200,
      true,
    ],
    ["any((c['t'] == 'A' and c['s'] == 'True' for c in j['status'].get('conditions', [])))", { status: {} }, 200, false],
    ["j.get('__proto__')", {}, 200, false],
  ];
  it.each(cases)('%s', (expression, j, status, holds) => {
    expect(condition(expression)(j, status)).toBe(holds);
  });

  it.each(['j[', 'open("x")', 'j.keys()', 'import os', "j['a'] = 1"])('refuses %s', (expression) => {
    expect(() => condition(expression)).toThrow();
  });
});
