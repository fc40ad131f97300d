import { describe, expect, it } from 'vitest';
import { nodeLifecycleDefaults as settings, passFrom, passUpTo } from './settings';
import { afterTaint, zonesAfter, type Zone, type ZoneCount, type Zones } from './zones';

const zone = (state: Zone['state'], rate = settings.evictionRate, freeAt = 0): Zone => ({ state, rate, freeAt });
const pass = (before: Record<string, Zone>, counts: Record<string, [ready: number, notReady: number]>, now = 1_000_000) =>
  zonesAfter(
    new Map(Object.entries(before)),
    new Map(Object.entries(counts).map(([name, [ready, notReady]]): [string, ZoneCount] => [name, { ready, notReady }])),
    settings,
    now,
  );
const shown = (zones: Zones): Record<string, [string, number]> =>
  Object.fromEntries([...zones].map(([name, { state, rate }]) => [name, [state, rate]]));

describe('a zone', () => {
  it.each([
    [[10, 0], 'normal', 0.1],
    [[1, 2], 'normal', 0.1],
    [[2, 3], 'partial', 0],
    [[5, 6], 'normal', 0.1],
    [[4, 5], 'partial', 0],
    [[22, 28], 'partial', 0],
    [[22, 29], 'partial', 0.01],
    [[0, 3], 'full', 0.1],
  ] as const)('with %j nodes ready and not is %s, and gives %d taints a second', ([ready, notReady], state, rate) => {
    const { zones } = pass({ a: zone('initial'), b: zone('normal') }, { a: [ready, notReady], b: [1, 0] });
    expect(shown(zones).a).toEqual([state, rate]);
  });

  it('waits as long as its new rate says, where it had to wait before', () => {
    const waiting = afterTaint(zone('normal'), 1_000_000);
    expect(waiting.freeAt).toBe(1_010_000);
    const { zones } = pass({ a: waiting, b: zone('normal') }, { a: [22, 29], b: [1, 0] }, 1_001_000);
    expect(zones.get('a')).toEqual({ state: 'partial', rate: 0.01, freeAt: 1_101_000 });
  });
});

describe('when all nodes of all zones have ceased to be ready', () => {
  it('nobody is made to leave', () => {
    const { zones, stops } = pass({ a: zone('normal'), b: zone('full') }, { a: [0, 2], b: [0, 1] });
    expect(stops).toBe(true);
    expect(shown(zones)).toEqual({ a: ['full', 0], b: ['full', 0] });
    expect(pass(Object.fromEntries(zones), { a: [0, 2], b: [0, 1] })).toEqual({ zones });
  });

  it('silence counts anew from the first that is ready again', () => {
    const { zones, resumes } = pass({ a: zone('full', 0), b: zone('full', 0) }, { a: [1, 1], b: [0, 1] });
    expect(resumes).toBe(true);
    expect(shown(zones)).toEqual({ a: ['normal', 0.1], b: ['full', 0.1] });
  });
});

it('passes are at whole multiples of five seconds', () => {
  expect([passFrom(10_000), passFrom(10_001), passUpTo(14_999)]).toEqual([10_000, 15_000, 10_000]);
});
