import { describe, expect, it } from 'vitest';
import { applyDelta } from './delta';
import { applyPatch, patchOf } from './json-patch';

const parsed = (text: string): unknown => JSON.parse(text) as unknown;

describe('a key that names the prototype', () => {
  it.each([
    ['{"data":{"a":"1"}}', '{"data":{"a":"1","__proto__":"v1"}}'],
    ['{"data":{"__proto__":"v1"}}', '{"data":{"__proto__":"v2"}}'],
    ['{"data":{"__proto__":"v1","a":"1"}}', '{"data":{"a":"1"}}'],
    ['{"a":{"__proto__":{"b":1}}}', '{"a":{"__proto__":{"b":2,"c":3}}}'],
    ['{"a":{}}', '{"a":{"constructor":"x","__proto__":{"x":1}}}'],
  ])('is a key like any other: from %s to %s', (before, after) => {
    const result = applyPatch(parsed(before), parsed(JSON.stringify(patchOf(parsed(before), parsed(after)))) as never);
    expect(JSON.parse(JSON.stringify(result))).toEqual(parsed(after));
    expect(JSON.stringify(result).includes('__proto__')).toBe(after.includes('__proto__'));
  });

  it('never reaches the prototype of everything', () => {
    applyDelta({}, [{ p: ['__proto__', 'polluted'], v: true }]);
    applyPatch({}, [
      { op: 'add', path: '/__proto__', value: {} },
      { op: 'add', path: '/__proto__/polluted', value: true },
    ]);
    expect(() => applyPatch({}, [{ op: 'add', path: '/__proto__/polluted', value: true }])).toThrow('nothing to add');
    expect(() => applyPatch({}, [{ op: 'add', path: '/constructor/polluted', value: true }])).toThrow('nothing to add');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
