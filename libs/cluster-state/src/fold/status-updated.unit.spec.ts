import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { conditionChanges, withStatusUpdate } from './status-updated';

const time = Date.parse('2026-01-01T00:00:05Z');
const now = '2026-01-01T00:00:05Z';
const before = '2026-01-01T00:00:00Z';

function folded(conditions: readonly Json[], changes: JsonObject[]): unknown {
  const object = { metadata: { name: 'a' }, status: { conditions } } as unknown as KubeObject;
  return withStatusUpdate(object, { conditions: changes }, time).status?.conditions;
}

const ready = { type: 'Ready', status: 'False', lastProbeTime: null, lastTransitionTime: before, reason: 'NotYet', message: 'wait' };

describe('conditions that changed', () => {
  it('are told by type, with the fields that did, and no time where a status flipped just now', () => {
    const { reason: _, message: __, ...rest } = ready;
    const after = [
      { ...rest, status: 'True', lastTransitionTime: now },
      { type: 'New', status: 'True' },
    ];
    const changes = conditionChanges([ready], after, time);
    expect(changes).toEqual([
      { type: 'Ready', status: 'True', reason: null, message: null },
      { type: 'New', status: 'True' },
    ]);
    expect(JSON.stringify(folded([ready], changes as JsonObject[]))).toBe(JSON.stringify(after));
  });

  it('keep a time that did not move, or moved elsewhere', () => {
    for (const lastTransitionTime of [before, '2026-01-01T00:00:03Z']) {
      const after = [{ ...ready, status: 'True', lastTransitionTime }];
      const changes = conditionChanges([ready], after, time) as JsonObject[];
      expect(folded([ready], changes)).toEqual(after);
    }
  });

  it.each([
    ['one has gone', [ready], []],
    ['they stand elsewhere', [ready, { type: 'B' }], [{ type: 'B' }, ready]],
    ['two are of one type', [ready], [ready, ready]],
    ['a field became null', [ready], [{ ...ready, reason: null }]],
    ['one has no type', [{}], [{ status: 'True' }]],
  ])('cannot be told so where %s', (_what, old, after) => {
    expect(conditionChanges(old as Json[], after as Json[], time)).toBeUndefined();
  });

  it('fold to what they were made of, whatever they were', () => {
    const value = fc.oneof(fc.constantFrom('a', 'b', before, now), fc.constant(null), fc.integer({ max: 2, min: 0 }));
    const condition = fc.record({
      type: fc.constantFrom('A', 'B', 'C'),
      fields: fc.dictionary(fc.constantFrom('status', 'reason', 'lastTransitionTime', '__proto__', 'x'), value),
    });
    const list = fc.array(condition, { maxLength: 3 }).map((items) => items.map(({ type, fields }) => ({ type, ...fields }) as Json));
    fc.assert(
      fc.property(list, list, (old, after) => {
        const types = new Set(old.map((each) => (each as JsonObject).type));
        const changes = types.size === old.length ? conditionChanges(old, after, time) : undefined;
        if (changes) expect(folded(old, JSON.parse(JSON.stringify(changes)) as JsonObject[])).toEqual(after);
      }),
      { numRuns: 2_000 },
    );
  });
});
