import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '#libs/scheduling';
import { differenceOf } from './compare-decision';
import type { RecordedPreemption } from './recorded-preemptions';

const recorded: RecordedPreemption = { preemptor: 'a/high', node: 'n1', victims: ['a/low-1', 'a/low-2'], revision: 7, reportedAt: 0 };
const preempts = (best: string[], victims: string[]): AttemptResult =>
  ({
    kind: 'unschedulable',
    message: 'no room',
    postFilter: {
      preemption: {
        chosen: {},
        best,
        decidedBy: 'sumPriorities',
        candidates: [{ node: 'n1', victims: victims.map((key) => ({ key })), pdbViolationCount: 0 }],
      },
    },
  }) as unknown as AttemptResult;

describe('a recorded preemption against one decided', () => {
  it('agrees when its node is the best or tied, in whatever order its victims are named', () => {
    expect(differenceOf(recorded, preempts(['n0', 'n1'], ['a/low-2', 'a/low-1']))).toBeUndefined();
  });

  it('differs by node, by victims, and when nothing is preempted', () => {
    expect(differenceOf(recorded, preempts(['n2'], ['a/low-1', 'a/low-2']))).toBe('n2 would be chosen, by sumPriorities');
    expect(differenceOf(recorded, preempts(['n1'], ['a/low-1']))).toBe('victims on n1: a/low-1 instead of a/low-1, a/low-2');
    expect(differenceOf({ ...recorded, node: 'n9' }, preempts(['n1'], []))).toBe('n9 is no candidate, n1 would be chosen');
    expect(differenceOf(recorded, { kind: 'bound', best: ['n3'] } as unknown as AttemptResult)).toBe('fits on n3');
    expect(differenceOf(recorded, { kind: 'unschedulable', message: 'no room' } as unknown as AttemptResult)).toBe(
      'no preemption: no room',
    );
    expect(differenceOf(recorded, undefined)).toBe('the pod is not pending in that state');
  });
});
