import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptResult, UnschedulableResult } from '../attempt-result';
import { attempt, makeNode, makePod } from '../cluster.fixture';
import { createProfiles } from '../config/profiles';
import { eventAssignedPodDelete, eventNodeAdd } from '../framework/events';
import { SchedulingQueue } from './scheduling-queue';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const start = Date.parse('2026-01-01T12:00:00.700Z');
const error: AttemptResult = { kind: 'error', message: 'boom', reason: 'SchedulerError', nextStartNodeIndex: 0 };
const refused = attempt({ nodes: [makeNode('n', { cpu: '1' })] }, makePod('p', { cpu: '2' })) as UnschedulableResult;
const gone = makePod('gone', { nodeName: 'n', cpu: '1' });
const podOf = (name: string) => makePod(name, { cpu: '2', priority: name.charCodeAt(0) % 2 });
const uids = names.map((name) => podOf(name).metadata.uid);

const anyStep = fc.record({
  name: fc.constantFrom(...names),
  passes: fc.constantFrom(0, 1, 400, 2_000, 15_000, 400_000),
  does: fc.constantFrom('add', 'delete', 'activate', 'room', 'node', 'refuse', 'refuse', 'fail', 'bind', 'flush', 'nothing'),
});

/** One thing that happens to the queue; a pod that is to fail or be bound is the next one. */
function happen(queue: SchedulingQueue, { does, name }: { does: string; name: string }, now: number): void {
  const pod = podOf(name);
  const { uid } = pod.metadata;
  if (does === 'add' && queue.where(uid) === undefined) queue.add(pod, now);
  else if (does === 'delete' && queue.where(uid) !== 'in-flight') queue.delete(uid);
  else if (does === 'activate') queue.activate(uid, now);
  else if (does === 'room') queue.movePodsOnEvent(eventAssignedPodDelete, gone, undefined, now);
  else if (does === 'node') queue.movePodsOnEvent(eventNodeAdd, undefined, makeNode('n', { cpu: '4' }), now);
  else if (does === 'flush') queue.flush(now);
  else if (does === 'refuse' || does === 'fail' || does === 'bind') {
    const popped = queue.pop(now);
    if (!popped) return;
    if (does === 'bind') queue.done(popped.pod.info.uid);
    else queue.addUnschedulable(popped.pod, does === 'fail' ? error : refused, now);
  }
}

const places = (queue: SchedulingQueue) => uids.map((uid) => queue.where(uid));

/** Lets things happen, and asks after each of them. */
function forAnyHistory(ask: (queue: SchedulingQueue, now: number) => void): void {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 50 }), (steps) => {
      const queue = new SchedulingQueue(createProfiles());
      let now = start;
      for (const step of steps) {
        now += step.passes;
        happen(queue, step, now);
        ask(queue, now);
      }
    }),
    { numRuns: 300 },
  );
}

describe('the scheduling queue, whatever has happened to it', () => {
  it('gives by pop what peek has shown, once no flush is due', () => {
    forAnyHistory((queue, now) => {
      if (queue.isFlushDue(now)) queue.flush(now);
      expect(queue.isFlushDue(now)).toBe(false);
      const shown = queue.peek();
      const popped = queue.pop(now);
      expect(popped?.pod).toBe(shown?.pod);
      expect(popped?.poppedFrom).toBe(shown?.poppedFrom);
      if (popped) queue.addUnschedulable(popped.pod, refused, now);
    });
  });

  it('is as it was when it has been looked at', () => {
    forAnyHistory((queue, now) => {
      const before = places(queue);
      const answers = () => [queue.peek()?.pod, queue.isFlushDue(now), queue.nextWake(now)];
      expect(answers()).toEqual(answers());
      expect(places(queue)).toEqual(before);
    });
  });

  it('has something to give or to flush at the moment it names, and nothing before', () => {
    forAnyHistory((queue, now) => {
      const wake = queue.nextWake(now);
      const isDue = (at: number): boolean => queue.peek() !== undefined || queue.isFlushDue(at);
      if (wake === undefined) expect(isDue(now + 3_600_000)).toBe(false);
      else {
        expect(isDue(wake)).toBe(true);
        if (wake > now) expect([isDue(now), isDue(wake - 1)]).toEqual([false, false]);
      }
    });
  });

  it('moves by a flush only what was due', () => {
    forAnyHistory((queue, now) => {
      const before = places(queue);
      const isDue = queue.isFlushDue(now);
      queue.flush(now);
      if (isDue) expect(places(queue)).not.toEqual(before);
      else expect(places(queue)).toEqual(before);
    });
  });
});
