import { describe, expect, it } from 'vitest';
import { ClusterState } from '#libs/cluster-state';
import type { DecisionContext, StepOutcome } from './controller';
import { reconcilerController, type ReconcilerState, type StepFailure } from './reconciler';

const cluster = new ClusterState('local');
const start = 1_000;

/** Deletes one pod for as long as it is asked to, and notes what it is told of the last refusal. */
function deleting() {
  const told: (StepFailure | undefined)[] = [];
  const controller = reconcilerController({
    name: 'deleting',
    behaviour: '1',
    stream: 'controller-decisions',
    config: {},
    follow: () => [],
    allSubjects: () => ['default/web-0'],
    reconcile: (_cluster, _index, _subject, _context, failure) => {
      told.push(failure);
      return {
        steps: [{ step: 'delete', request: { verb: 'delete', target: { resource: 'pods', namespace: 'default', name: 'web-0' } } }],
      };
    },
  });
  const state = controller.initial(cluster, start);
  /** One look and its decision, which ends with this outcome. */
  const look = (now: number, outcome: StepOutcome): void => {
    const subject = controller.next(state, cluster, now) as string;
    const context = { now, ordinal: 0, decision: 'deleting/test/0' } as DecisionContext;
    const decision = controller.decide(state, cluster, subject, context);
    controller.decided(state, cluster, subject, decision, context);
    if (decision) controller.settled(state, decision, 0, [outcome], now);
  };
  const due = (now: number): string | undefined => controller.next(state as ReconcilerState<undefined>, cluster, now);
  return { look, due, told, nextWake: () => controller.nextWake(state, start) };
}

function refused(code: number): StepOutcome {
  return { kind: 'refused', status: { kind: 'Status', code, message: `code ${code}` } as never };
}

describe('a reconciler whose write was refused', () => {
  it('looks again at once, without back-off, where the object has gone meanwhile', () => {
    const { look, due, told } = deleting();
    look(start, refused(404));
    expect(due(start)).toBe('default/web-0');
    look(start, { kind: 'unchanged' });
    expect(told).toEqual([undefined, undefined]);
  });

  it('backs off, and is told of the refusal once', () => {
    const { look, due, told, nextWake } = deleting();
    look(start, refused(403));
    expect(due(start)).toBeUndefined();
    expect(nextWake()).toBe(start + 5);
    look(start + 5, refused(403));
    expect(nextWake()).toBe(start + 5 + 10);
    look(start + 15, { kind: 'written' });
    expect(told).toEqual([undefined, { step: 'delete', message: 'code 403' }, { step: 'delete', message: 'code 403' }]);
    expect(due(start + 15)).toBeUndefined();
  });

  it('backs off without being told where somebody else has written in between', () => {
    const { look, told } = deleting();
    look(start, refused(409));
    look(start + 5, { kind: 'unchanged' });
    expect(told).toEqual([undefined, undefined]);
  });
});
