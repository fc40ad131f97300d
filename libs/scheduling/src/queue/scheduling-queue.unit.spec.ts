import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import type { AttemptResult, ErrorResult, UnschedulableResult } from '../attempt-result';
import { attempt, makeNode, makePod } from '../cluster.fixture';
import type { PodParts } from '../cluster.fixture';
import { createProfiles } from '../config/profiles';
import { eventAssignedPodAdd, eventAssignedPodDelete, eventNodeAdd } from '../framework/events';
import { SchedulingQueue } from './scheduling-queue';

const second = 1000;
/** 12:00:00.700 */
const start = Date.parse('2026-01-01T12:00:00.700Z');
const error: ErrorResult = { kind: 'error', message: 'boom', reason: 'SchedulerError', nextStartNodeIndex: 0 };

function refusal(): UnschedulableResult {
  const result = attempt({ nodes: [makeNode('n', { cpu: '1' })] }, makePod('p', { cpu: '2' }));
  if (result.kind !== 'unschedulable') throw new Error('expected a refusal');
  return result;
}
const newQueue = (config?: object) => new SchedulingQueue(createProfiles(config));
const bound = makePod('bound', { nodeName: 'n', cpu: '1' });
const names = (queue: SchedulingQueue, now: number): string[] => {
  const popped: string[] = [];
  for (let next = queue.pop(now); next !== undefined; next = queue.pop(now)) popped.push(next.pod.info.name);
  return popped;
};

/** Pops the pod, lets it fail, and brings it out of the pool again. */
function failOnce(queue: SchedulingQueue, now: number, result: AttemptResult = refusal()): void {
  const popped = queue.pop(now);
  if (popped === undefined) throw new Error('nothing to pop');
  queue.addUnschedulable(popped.pod, result, now);
}

describe('the order of the active queue', () => {
  it('is priority, then the time a pod came or last failed', () => {
    const queue = newQueue();
    queue.add(makePod('first', { priority: 1 }), 1);
    queue.add(makePod('second', { priority: 1 }), 2);
    queue.add(makePod('important', { priority: 9 }), 3);
    expect(names(queue, 4)).toEqual(['important', 'first', 'second']);
  });

  it('puts a pod that failed behind its equals', () => {
    const queue = newQueue({ podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 1 });
    queue.add(makePod('a'), 1);
    queue.add(makePod('b'), 2);
    failOnce(queue, 3);
    queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, 5000);
    expect(names(queue, 5000)).toEqual(['b', 'a']);
  });
});

describe('back-off', () => {
  it('doubles from 1 s to 10 s, in whole seconds; in the second it ends a pod still backs off', () => {
    const queue = newQueue();
    queue.add(makePod('p'), start);
    let now = start;
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      failOnce(queue, now);
      queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, now);
      expect(queue.where('u-default-p')).toBe('backoff');
      const failedAt = Math.floor(now / second);
      while (queue.where('u-default-p') === 'backoff') {
        now += 100;
        queue.flush(now);
      }
      waits.push(Math.floor(now / second) - failedAt);
    }
    // 12:00:00.7 + 1 s ends in the second 12:00:01 and is over at 12:00:02.
    expect(waits).toEqual([2, 3, 5, 9, 11, 11]);
  });

  it('is not waited for by a refused pod when there is nothing else to do', () => {
    const queue = newQueue();
    queue.add(makePod('p'), start);
    failOnce(queue, start);
    queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, start);
    expect(queue.nextWake(start)).toBe(start);
    expect(queue.pop(start)).toMatchObject({ poppedFrom: 'backoff' });
  });

  it('is waited for after an error, whatever happens', () => {
    const queue = newQueue();
    queue.add(makePod('p'), start);
    failOnce(queue, start, error);
    expect(queue.where('u-default-p')).toBe('backoff');
    expect(queue.pop(start)).toBeUndefined();
    const wake = queue.nextWake(start) ?? 0;
    expect(wake).toBe(Date.parse('2026-01-01T12:00:02Z'));
    expect(queue.pop(wake - 1)).toBeUndefined();
    expect(queue.pop(wake)).toMatchObject({ poppedFrom: 'active' });
  });

  it('counts errors in a row apart from refusals', () => {
    const queue = newQueue();
    queue.add(makePod('p'), start);
    failOnce(queue, start, error);
    const popped = queue.pop(start + 10 * second);
    queue.addUnschedulable(popped?.pod as never, error, start + 10 * second);
    expect(popped?.pod).toMatchObject({ consecutiveErrorsCount: 2, unschedulableCount: 0 });
    const again = queue.pop(start + 20 * second);
    queue.addUnschedulable(again?.pod as never, refusal(), start + 20 * second);
    expect(again?.pod).toMatchObject({ consecutiveErrorsCount: 0, unschedulableCount: 1, attempts: 3 });
  });
});

describe('the pool of unschedulable pods', () => {
  it('gives a pod back on an event that its refusing plugin waits for, and on no other', () => {
    const queue = newQueue();
    queue.add(makePod('p', { cpu: '2' }), start);
    failOnce(queue, start);
    expect(queue.movePodsOnEvent(eventAssignedPodAdd, undefined, bound, start + 60_000)).toBe(0);
    expect(queue.movePodsOnEvent(eventNodeAdd, undefined, makeNode('small', { cpu: '1' }), start + 60_000)).toBe(0);
    expect(queue.where('u-default-p')).toBe('unschedulable');
    expect(queue.movePodsOnEvent(eventNodeAdd, undefined, makeNode('large'), start + 60_000)).toBe(1);
    expect(queue.where('u-default-p')).toBe('active');
  });

  it('gives a pod back after five minutes, at the next turn of a loop of 30 s', () => {
    const queue = newQueue();
    queue.add(makePod('p'), start);
    failOnce(queue, start);
    const due = Date.parse('2026-01-01T12:05:30Z');
    expect(queue.nextWake(start)).toBe(due);
    queue.flush(due - 1);
    expect(queue.where('u-default-p')).toBe('unschedulable');
    queue.flush(due);
    expect(queue.where('u-default-p')).toBe('active');
  });

  it('gives a pod to Activate at once', () => {
    const queue = newQueue();
    queue.add(makePod('p'), start);
    failOnce(queue, start);
    expect(queue.activate('u-default-p', start)).toBe(true);
    expect(queue.pop(start)).toMatchObject({ poppedFrom: 'active' });
    expect(queue.activate('unknown', start)).toBe(false);
  });

  it('looks only at the pods that an event concerns', () => {
    const queue = newQueue();
    for (const [name, priority] of [
      ['high', 10],
      ['low', 1],
    ] as const)
      queue.add(makePod(name, { priority }), start);
    failOnce(queue, start);
    failOnce(queue, start);
    queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, start + 60_000, (pod) => pod.priority <= 1);
    expect([queue.where('u-default-high'), queue.where('u-default-low')]).toEqual(['unschedulable', 'active']);
  });
});

describe('events during an attempt', () => {
  it('are not missed: the refused pod is looked at against them', () => {
    const queue = newQueue();
    queue.add(makePod('p'), start);
    const popped = queue.pop(start);
    expect(queue.where('u-default-p')).toBe('in-flight');
    queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, start);
    queue.addUnschedulable(popped?.pod as never, refusal(), start);
    expect(queue.where('u-default-p')).toBe('backoff');
  });

  it('that came before it was popped do not count', () => {
    const queue = newQueue();
    queue.add(makePod('early'), start);
    queue.add(makePod('late'), start + 1);
    const early = queue.pop(start + 2);
    queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, start + 2);
    const late = queue.pop(start + 3);
    queue.addUnschedulable(late?.pod as never, refusal(), start + 3);
    queue.addUnschedulable(early?.pod as never, refusal(), start + 3);
    expect([queue.where('u-default-late'), queue.where('u-default-early')]).toEqual(['unschedulable', 'backoff']);
  });
});

describe('gates', () => {
  const gated = makePod('p', { schedulingGates: [{ name: 'g' }] });
  const open: KubeObject = { ...gated, spec: { ...gated.spec, schedulingGates: undefined } };

  it('keep a pod out until the last is removed; then it goes without back-off', () => {
    const queue = newQueue();
    queue.add(gated, start);
    expect(queue.where('u-default-p')).toBe('gated');
    expect(queue.nextWake(start)).toBeUndefined();
    queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, start);
    queue.flush(start + 3_600_000);
    expect(queue.where('u-default-p')).toBe('gated');
    queue.update(gated, open, start);
    expect(queue.where('u-default-p')).toBe('active');
  });

  it('hold a pod back while its victims are being deleted', () => {
    const queue = newQueue();
    queue.add(makePod('p'), start);
    const popped = queue.pop(start);
    queue.setPreempting('u-default-p', true);
    queue.addUnschedulable(popped?.pod as never, refusal(), start);
    queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, start + 60_000);
    expect(queue.where('u-default-p')).toBe('gated');
    queue.setPreempting('u-default-p', false);
    queue.movePodsOnEvent(eventAssignedPodDelete, bound, undefined, start + 61_000);
    expect(queue.where('u-default-p')).toBe('active');
  });
});

describe('an update of the waiting pod', () => {
  const pod = makePod('p');
  const updated = (parts: PodParts): KubeObject => ({ ...makePod('p', parts), metadata: pod.metadata });

  it('moves it when it means something to who refused it', () => {
    const nodes = [makeNode('n', { taints: [{ key: 'k', effect: 'NoSchedule' }] })];
    const result = attempt({ nodes }, pod);
    const queue = newQueue();
    queue.add(pod, start);
    failOnce(queue, start, result);
    queue.update(pod, updated({ status: { conditions: [] } }), start + 60_000);
    expect(queue.where('u-default-p')).toBe('unschedulable');
    queue.update(pod, updated({ tolerations: [{ operator: 'Exists' }] }), start + 60_000);
    expect(queue.where('u-default-p')).toBe('active');
  });

  it('is taken in place where it waits, and added when it is not known', () => {
    const queue = newQueue();
    queue.update(pod, updated({ priority: 5 }), start);
    queue.update(pod, updated({ priority: 7 }), start);
    expect(queue.pop(start)?.pod.info.priority).toBe(7);
  });
});

describe('nominations', () => {
  const nominee = makePod('p', { nominated: 'a' });

  it('follow the object, the last decision, and end with the pod', () => {
    const queue = newQueue();
    queue.add(nominee, start);
    expect(queue.nominator.on('a').map((pod) => pod.name)).toEqual(['p']);
    queue.update(nominee, makePod('p', { nominated: 'b' }), start);
    expect([queue.nominator.on('a').length, queue.nominator.on('b').length]).toEqual([0, 1]);
    queue.delete('u-default-p');
    expect(queue.nominator.on('b')).toEqual([]);
  });

  it('made here outlive an update that does not show them yet', () => {
    const queue = newQueue();
    const pod = makePod('p');
    queue.add(pod, start);
    const popped = queue.pop(start);
    const result: UnschedulableResult = { ...refusal(), postFilter: { code: 'Success', message: '', nominatedNodeName: 'n', writes: [] } };
    queue.addUnschedulable(popped?.pod as never, result, start);
    queue.update(pod, makePod('p', { status: { conditions: [] } }), start);
    expect(queue.nominator.nominationOf('u-default-p')).toBe('n');
  });

  it('are taken away by an error', () => {
    const queue = newQueue();
    queue.add(nominee, start);
    failOnce(queue, start, error);
    expect(queue.nominator.on('a')).toEqual([]);
  });
});
