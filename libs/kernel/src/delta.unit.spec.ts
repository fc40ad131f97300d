import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDelta, deltaOf } from './delta';
import type { Json } from './json';

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'type', 'name', 'x-1'), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const object = fc.dictionary(fc.constantFrom('metadata', 'spec', 'status', 'data'), json);

describe('delta', () => {
  it('turns any object into any other', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(applyDelta(before, deltaOf(before, after))).toEqual(after);
      }),
    );
  });

  it('says nothing about what did not change', () => {
    expect(deltaOf({ spec: { replicas: 1, paused: false } }, { spec: { replicas: 2, paused: false } })).toEqual([
      { p: ['spec', 'replicas'], v: 2 },
    ]);
  });

  it('shares what is untouched', () => {
    const before = { spec: { containers: [{ name: 'a' }] }, status: { phase: 'Pending' } };
    const after = applyDelta(before, [{ p: ['status', 'phase'], v: 'Running' }]);
    expect(after.spec).toBe(before.spec);
    expect(before.status.phase).toBe('Pending');
  });

  it('appends to a list, and replaces one whose elements moved', () => {
    expect(deltaOf([{ type: 'A' }], [{ type: 'A' }, { type: 'B' }])).toEqual([{ p: [1], v: { type: 'B' } }]);
    const moved = [{ type: 'B' }, { type: 'A' }];
    expect(deltaOf({ c: [{ type: 'A' }] }, { c: moved })).toEqual([{ p: ['c'], v: moved }]);
  });

  it('never reaches a prototype', () => {
    const step = JSON.parse('{"p":["__proto__","polluted"],"v":true}') as { p: string[]; v: boolean };
    applyDelta({}, [step]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
