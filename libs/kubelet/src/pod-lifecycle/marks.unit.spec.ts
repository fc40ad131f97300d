import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { marksAfter, noMarks, preciseTime } from './marks';

const pod = (status: object, metadata: object = {}): KubeObject => ({
  metadata: { name: 'p', uid: 'u', creationTimestamp: '', ...metadata },
  status,
});
const change = (before: KubeObject | undefined, object: KubeObject) => ({
  type: 'MODIFIED' as const,
  resource: 'pods',
  namespace: '',
  name: 'p',
  key: '/p',
  before,
  object,
});
const second = Date.parse('2026-01-01T00:00:05Z');
const text = '2026-01-01T00:00:05Z';

describe('times to the millisecond', () => {
  it.each<[string | undefined, number | undefined, number | undefined]>([
    [text, second + 730, second + 730],
    [text, second + 1_000, second],
    [text, second - 1, second],
    [text, undefined, second],
    [undefined, second, undefined],
  ])('%s marked %s', (written, mark, expected) => {
    expect(preciseTime(written, mark)).toBe(expected);
  });

  it('are noted as the status changes', () => {
    const bound = pod({ phase: 'Pending' });
    const taken = pod({ phase: 'Pending', startTime: text, observedGeneration: 1 });
    const status = (state: object, restartCount = 0): object => ({
      ...taken.status,
      containerStatuses: [{ name: 'constructor', containerID: 'x', restartCount, state, lastState: {} }],
    });
    const runs = pod(status({ running: { startedAt: text } }));
    const ended = pod(status({ terminated: { finishedAt: text } }));
    const again = pod(status({ running: { startedAt: text } }, 1));
    let marks = marksAfter(noMarks, change(undefined, bound), 1);
    marks = marksAfter(marks, change(bound, taken), second + 1);
    expect(marks).toEqual({ accepted: second + 1 });
    marks = marksAfter(marks, change(taken, runs), second + 2);
    marks = marksAfter(marks, change(runs, ended), second + 3);
    expect(marks.runs).toEqual({ constructor: { run: 0, started: second + 2, finished: second + 3 } });
    marks = marksAfter(marks, change(ended, again), second + 4);
    expect(marks.runs).toEqual({ constructor: { run: 1, started: second + 4 } });
  });

  it('hold on to the first deletion request', () => {
    const running = pod({ phase: 'Running' });
    const asked = pod({ phase: 'Running' }, { deletionTimestamp: text, deletionGracePeriodSeconds: 30 });
    const shortened = pod({ phase: 'Running' }, { deletionTimestamp: text, deletionGracePeriodSeconds: 3 });
    const first = marksAfter(noMarks, change(running, asked), second);
    expect(marksAfter(first, change(asked, shortened), second + 9).deletion).toEqual({ at: second, graceSeconds: 30 });
  });

  it('are dropped when the pod is over, and when another has its name', () => {
    const marks = { accepted: 1, runs: { app: { run: 0, started: 2 } } };
    expect(marksAfter(marks, change(pod({ phase: 'Running' }), pod({ phase: 'Failed' })), 3)).toEqual({});
    expect(marksAfter(marks, change(pod({}, { uid: 'old' }), pod({ phase: 'Pending' })), 3)).toEqual({});
  });
});
