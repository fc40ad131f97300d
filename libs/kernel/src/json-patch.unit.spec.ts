import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, patchOf, pointerParts, pointerTo, type JsonPatch } from './json-patch';
import type { Json } from './json';

const keys = fc.constantFrom('a', 'b', 'type', 'name', 'x-1', 'a/b', 'm~n', '~1', '');
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
})).value;
const object = fc.dictionary(fc.constantFrom('metadata', 'spec', 'status', 'data'), json);

describe('a JSON patch', () => {
  it('turns any object into any other', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(applyPatch(before, patchOf(before, after))).toEqual(after);
      }),
    );
  });

  it('says nothing about what did not change', () => {
    expect(patchOf({ spec: { replicas: 1, paused: false, b: 1 } }, { spec: { replicas: 2, paused: false, a: null } })).toEqual([
      { op: 'remove', path: '/spec/b' },
      { op: 'replace', path: '/spec/replicas', value: 2 },
      { op: 'add', path: '/spec/a', value: null },
    ]);
  });

  it('shares what is untouched', () => {
    const before = { spec: { containers: [{ name: 'a' }] }, status: { phase: 'Pending' } };
    const after = applyPatch(before, [{ op: 'replace', path: '/status/phase', value: 'Running' }]);
    expect(after.spec).toBe(before.spec);
    expect(before.status.phase).toBe('Pending');
  });

  it('leaves its own values as they are when a later operation goes into them', () => {
    const patch: JsonPatch = [
      { op: 'add', path: '/a', value: { b: 1 } },
      { op: 'replace', path: '/a/b', value: 2 },
    ];
    expect([applyPatch({}, patch), applyPatch({}, patch)]).toEqual([{ a: { b: 2 } }, { a: { b: 2 } }]);
  });

  it('appends to a list, and replaces one whose elements moved', () => {
    expect(patchOf([{ type: 'A' }], [{ type: 'A' }, { type: 'B' }])).toEqual([{ op: 'add', path: '/-', value: { type: 'B' } }]);
    const moved = [{ type: 'B' }, { type: 'A' }];
    expect(patchOf({ c: [{ type: 'A' }] }, { c: moved })).toEqual([{ op: 'replace', path: '/c', value: moved }]);
  });

  it('inserts and removes in a list as the RFC says', () => {
    const list = ['a', 'b', 'c'];
    expect(applyPatch(list, [{ op: 'add', path: '/1', value: 'x' }])).toEqual(['a', 'x', 'b', 'c']);
    expect(applyPatch(list, [{ op: 'remove', path: '/0' }])).toEqual(['b', 'c']);
    expect(applyPatch(list, [{ op: 'add', path: '/3', value: 'd' }])).toEqual(['a', 'b', 'c', 'd']);
    expect(list).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [{ op: 'replace', path: '/a/b', value: 1 }, 'there is nothing to replace at "/a/b"'],
    [{ op: 'remove', path: '/c' }, 'there is nothing to remove at "/c"'],
    [{ op: 'add', path: '/list/2', value: 1 }, 'there is nothing to add at "/list/2"'],
    [{ op: 'replace', path: '/list/01', value: 1 }, 'there is nothing to replace at "/list/01"'],
    [{ op: 'remove', path: '' }, 'the document cannot be removed'],
    [{ op: 'remove', path: 'a' }, '"a" is no JSON pointer'],
  ] as const)('that does not fit is an error: %j', (operation, text) => {
    expect(() => applyPatch({ a: {}, list: [1] }, [operation])).toThrow(text);
  });

  it('names places by JSON pointers', () => {
    const parts = ['metadata', 'annotations', 'example.com/a~b', '', '0'];
    expect(pointerTo(parts)).toBe('/metadata/annotations/example.com~1a~0b//0');
    expect(pointerParts(pointerTo(parts))).toEqual(parts);
    expect(pointerParts('')).toEqual([]);
  });
});
