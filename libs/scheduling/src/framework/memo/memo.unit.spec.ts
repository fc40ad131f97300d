import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../attempt-result';
import { defaultProfile, makeCache, makeNode, makeObject, makePod, now } from '../../cluster.fixture';
import { createProfiles } from '../../config/profiles';
import { Nominator } from '../../queue/nominator';
import { schedulePod } from '../../schedule-pod';
import { podInfoOf } from '../pod-info';

const at = (second: number) => new Date(now - 86_400_000 + second * 1000).toISOString();

/** One node with two low pods; pods of one shape are tried again and again. */
function world() {
  const low = (name: string, second: number) =>
    makePod(name, { nodeName: 'n', cpu: '2', labels: { app: name }, startTime: at(second), priority: 0 });
  const cache = makeCache({ nodes: [makeNode('n')], pods: [low('old', 1), low('young', 2)] });
  const nominator = new Nominator();
  const profile = defaultProfile(createProfiles());
  let attempts = 0;
  const attempt = (time = now): AttemptResult =>
    schedulePod(cache.snapshot(), makePod(`p-${attempts++}`, { cpu: '2', priority: 10 }), {
      profile,
      chance: () => 0,
      now: time,
      nominated: nominator,
    });
  const victims = (time?: number): string[] | undefined => {
    const result = attempt(time);
    return result.kind === 'unschedulable' ? result.postFilter?.preemption?.chosen?.victims.map((pod) => pod.name) : undefined;
  };
  return { cache, nominator, attempt, victims };
}

describe('what was found out for a shape on a node is forgotten', () => {
  it('when the node changes, or its pods', () => {
    const { cache, attempt, victims } = world();
    expect(victims()).toEqual(['young']);
    cache.removePod('u-default-young');
    expect(attempt().kind).toBe('bound');
    cache.updateNode(makeNode('n', { unschedulable: true }));
    expect(attempt()).toMatchObject({ kind: 'unschedulable' });
  });

  it('when a budget changes', () => {
    const { cache, victims } = world();
    expect(victims()).toEqual(['young']);
    const budget = { spec: { selector: { matchLabels: { app: 'young' } } }, status: { disruptionsAllowed: 0 } };
    cache.setObject('poddisruptionbudgets', makeObject('PodDisruptionBudget', 'b', budget, 'default'));
    expect(victims()).toEqual(['old']);
    cache.deleteObject('poddisruptionbudgets', 'default', 'b');
    expect(victims()).toEqual(['young']);
  });

  it('when others are nominated to the node', () => {
    const { cache, nominator, attempt, victims } = world();
    expect(victims()).toEqual(['young']);
    nominator.add(podInfoOf(makePod('promised', { cpu: '2', priority: 10 })), 'n');
    expect(victims()).toEqual(['old', 'young']);
    nominator.delete('u-default-promised');
    expect(victims()).toEqual(['young']);
    cache.removePod('u-default-young');
    expect(attempt().kind).toBe('bound');
    nominator.add(podInfoOf(makePod('small', { cpu: '1', priority: 10 })), 'n');
    expect(attempt().kind).toBe('unschedulable');
    nominator.add(podInfoOf(makePod('small', { cpu: '0', priority: 10 })), 'n');
    expect(attempt().kind).toBe('bound');
  });

  it('when it was found out at a later time: pods that have not started start now', () => {
    const { cache, victims } = world();
    cache.addPod(makePod('young', { nodeName: 'n', cpu: '2', priority: 0 }));
    expect(victims(now)).toEqual(['young']);
    // Long before the other one started, the one that has not is the older.
    expect(victims(now - 2 * 86_400_000)).toEqual(['old']);
    expect(victims(now)).toEqual(['young']);
  });

  it('when it belongs to another profile', () => {
    const { cache, attempt } = world();
    expect(attempt().kind).toBe('unschedulable');
    const config = { profiles: [{ plugins: { filter: { disabled: [{ name: 'NodeResourcesFit' }] } } }] };
    const lenient = defaultProfile(createProfiles(config));
    const pod = makePod('other', { cpu: '2', priority: 10 });
    expect(schedulePod(cache.snapshot(), pod, { profile: lenient, chance: () => 0, now }).kind).toBe('bound');
    expect(attempt().kind).toBe('unschedulable');
  });
});
