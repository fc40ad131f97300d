import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { taintsOf, withNoScheduleTaints } from './no-schedule-taints';

const now = Date.parse('2026-01-01T00:00:00Z');

/** The taints that a node is to have; undefined when they are left alone. */
function taintsFor(spec: JsonObject, conditions: Record<string, string>): unknown {
  const status = { conditions: Object.entries(conditions).map(([type, value]) => ({ type, status: value })) };
  const node = { metadata: { name: 'n', uid: 'u' }, spec, status } as unknown as KubeObject;
  const after = withNoScheduleTaints(node, now);
  return after === taintsOf(node) ? undefined : after;
}

const created = { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] };

describe('taints that mirror conditions', () => {
  it('takes the not-ready taint off a node that is Ready, and no other', () => {
    expect(taintsFor(created, { Ready: 'True' })).toEqual([]);
    const dedicated = { key: 'dedicated', effect: 'NoSchedule' };
    expect(taintsFor({ taints: [...created.taints, dedicated] }, { Ready: 'True' })).toEqual([dedicated]);
  });

  it('takes the not-ready taint off a node that has said nothing', () => {
    expect(taintsFor(created, {})).toEqual([]);
    expect(taintsFor({}, {})).toBeUndefined();
  });

  it('marks what keeps pods away', () => {
    const timeAdded = '2026-01-01T00:00:00Z';
    const taint = (key: string) => [{ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule', timeAdded }];
    expect(taintsFor({}, { Ready: 'False' })).toEqual(taint('not-ready'));
    expect(taintsFor({}, { Ready: 'Unknown' })).toEqual(taint('unreachable'));
    expect(taintsFor({}, { Ready: 'True', MemoryPressure: 'True' })).toEqual(taint('memory-pressure'));
    expect(taintsFor({ unschedulable: true }, { Ready: 'True' })).toEqual(taint('unschedulable'));
  });

  it('keeps the time of a taint that stays', () => {
    const cordoned = {
      unschedulable: true,
      taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: 'then' }],
    };
    expect(taintsFor(cordoned, { Ready: 'True' })).toBeUndefined();
    expect(taintsFor({ ...cordoned, unschedulable: false }, { Ready: 'True' })).toEqual([]);
  });
});
