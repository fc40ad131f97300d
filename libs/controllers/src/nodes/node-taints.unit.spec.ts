import { describe, expect, it } from 'vitest';
import { ClusterState } from '#libs/cluster-state';
import type { DecisionContext } from '#libs/control-loop';
import { chanceOf, type JsonObject } from '#libs/kernel';
import { nodeTaints, type NodeLifecycleBehaviour } from './node-taints';

const context: DecisionContext = { now: Date.parse('2026-01-01T00:00:00Z'), decision: 'd/1/0', ordinal: 0, chance: chanceOf('s', 'd') };

/** The taints that the controller gives a node; undefined when it leaves it alone. */
function taintsOf(spec: JsonObject, conditions: Record<string, string>, behaviour?: NodeLifecycleBehaviour): unknown {
  const cluster = new ClusterState('local');
  const status = { conditions: Object.entries(conditions).map(([type, value]) => ({ type, status: value })) };
  cluster.restore('nodes', '/n', { metadata: { name: 'n', uid: 'u', creationTimestamp: '', resourceVersion: '16' }, spec, status });
  const request = nodeTaints(behaviour).reconcile(cluster, undefined, 'n', context)?.steps[0]?.request;
  if (request?.verb !== 'record') return undefined;
  return request.after?.spec?.taints ?? [];
}

const created = { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] };

describe('taints that mirror conditions', () => {
  it('takes the not-ready taint off a node that is Ready, and no other', () => {
    expect(taintsOf(created, { Ready: 'True' })).toEqual([]);
    const dedicated = { key: 'dedicated', effect: 'NoSchedule' };
    expect(taintsOf({ taints: [...created.taints, dedicated] }, { Ready: 'True' })).toEqual([dedicated]);
  });

  it('takes the not-ready taint off a node that has said nothing, which it was left with up to behaviour 2', () => {
    expect(taintsOf(created, {})).toEqual([]);
    expect(taintsOf(created, {}, '2')).toBeUndefined();
    expect(taintsOf({}, {})).toBeUndefined();
  });

  it('marks what keeps pods away', () => {
    const timeAdded = '2026-01-01T00:00:00Z';
    const taint = (key: string) => [{ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule', timeAdded }];
    expect(taintsOf({}, { Ready: 'False' })).toEqual(taint('not-ready'));
    expect(taintsOf({}, { Ready: 'Unknown' })).toEqual(taint('unreachable'));
    expect(taintsOf({}, { Ready: 'True', MemoryPressure: 'True' })).toEqual(taint('memory-pressure'));
    expect(taintsOf({ unschedulable: true }, { Ready: 'True' })).toEqual(taint('unschedulable'));
  });

  it('keeps the time of a taint that stays', () => {
    const cordoned = {
      unschedulable: true,
      taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: 'then' }],
    };
    expect(taintsOf(cordoned, { Ready: 'True' })).toBeUndefined();
    expect(taintsOf({ ...cordoned, unschedulable: false }, { Ready: 'True' })).toEqual([]);
  });
});
