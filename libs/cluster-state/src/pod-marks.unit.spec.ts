import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { budgetAt, marksAfter, marksAfterReport, marksAfterRestart, noMarks, preciseTime, toldKey } from './pod-marks';

const pod = (status: object, metadata: object = {}): KubeObject => ({
  metadata: { name: 'p', uid: 'u', creationTimestamp: '', ...metadata },
  status,
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
    let marks = marksAfter(noMarks, undefined, bound, [], 1);
    marks = marksAfter(marks, bound, taken, [], second + 1);
    expect(marks).toEqual({ accepted: second + 1 });
    marks = marksAfter(marks, taken, runs, [], second + 2);
    marks = marksAfter(marks, runs, ended, [], second + 3);
    expect(marks.runs).toEqual({ constructor: { run: 0, started: second + 2, finished: second + 3 } });
    marks = marksAfter(marks, ended, again, [], second + 4);
    expect(marks.runs).toEqual({ constructor: { run: 1, started: second + 4 } });
  });

  it('hold on to the first deletion request', () => {
    const running = pod({ phase: 'Running' });
    const asked = pod({ phase: 'Running' }, { deletionTimestamp: text, deletionGracePeriodSeconds: 30 });
    const shortened = pod({ phase: 'Running' }, { deletionTimestamp: text, deletionGracePeriodSeconds: 3 });
    const first = marksAfter(noMarks, running, asked, [], second);
    expect(marksAfter(first, asked, shortened, [], second + 9).deletion).toEqual({ at: second, graceSeconds: 30 });
  });

  it('are dropped when the pod is over, and when another has its name', () => {
    const marks = { accepted: 1, runs: { app: { run: 0, started: 2 } } };
    expect(marksAfter(marks, pod({ phase: 'Running' }), pod({ phase: 'Failed' }), [], 3)).toEqual({});
    expect(marksAfter(marks, pod({}, { uid: 'old' }), pod({ phase: 'Pending' }), [], 3)).toEqual({});
  });
});

describe('what was told', () => {
  const backOff = { type: 'Warning', reason: 'BackOff', message: 'again', fieldPath: 'spec.containers{app}' };
  const key = toldKey('Warning', 'BackOff', 'again', 'spec.containers{app}');

  it('is counted, also what was not written', () => {
    let marks = marksAfterReport(noMarks, backOff, 0);
    marks = marksAfterReport(marks, { ...backOff, count: 7, times: 3 }, 10);
    expect(marks.told).toEqual({ [key]: { count: 7, times: 3, at: 10 } });
    const pods = [pod({ phase: 'Running' }), pod({ phase: 'Running' })] as const;
    const restarted = marksAfter(marks, ...pods, [{ type: 'ContainerStarted', data: { container: 'app', untold: { [key]: 2 } } }], 20);
    expect(restarted.told).toEqual({ [key]: { count: 9, times: 3, at: 10 } });
  });

  it('is known to a kubelet that begins anew, but not how often, nor how long a container had to wait', () => {
    const marks = {
      ...marksAfterReport(noMarks, backOff, 5),
      accepted: 1,
      runs: { app: { run: 2, started: 3, finished: 4, backOffMs: 10_000 } },
    };
    expect(marksAfterRestart(marks)).toEqual({
      accepted: 1,
      runs: { app: { run: 2, started: 3, finished: 4 } },
      told: { [key]: { count: 0, times: 1, at: 5 } },
    });
  });

  it('is 25 Events of a type at once, then one in five minutes', () => {
    let marks = noMarks;
    for (let i = 0; i < 25; i++) marks = marksAfterReport(marks, backOff, i);
    expect(budgetAt(marks.budgets?.Warning, 24).left).toBeLessThan(1);
    expect(budgetAt(marks.budgets?.Normal, 24).left).toBe(25);
    expect(budgetAt(marks.budgets?.Warning, 24 + 300_000).left).toBeGreaterThanOrEqual(1);
    expect(budgetAt(marks.budgets?.Warning, 24 + 600_000).left).toBeLessThan(3);
  });
});

it('a start and an end tell their own moments, where those were before', () => {
  const status = (state: object) =>
    pod({ phase: 'Running', containerStatuses: [{ name: 'app', containerID: 'x', restartCount: 1, state }] });
  const started = [{ type: 'ContainerStarted', data: { container: 'app', at: second + 300, backOffMs: 20_000 } }];
  const runs = status({ running: { startedAt: text } });
  let marks = marksAfter(noMarks, pod({ phase: 'Running' }), runs, started, second + 5_000);
  expect(marks.runs).toEqual({ app: { run: 1, started: second + 300, shown: second + 5_000, backOffMs: 20_000 } });
  const ended = [{ type: 'ContainerExited', data: { container: 'app', at: second + 900 } }];
  marks = marksAfter(marks, runs, status({ terminated: { startedAt: text, finishedAt: text } }), ended, second + 7_000);
  expect(marks.runs).toEqual({ app: { run: 1, started: second + 300, shown: second + 5_000, backOffMs: 20_000, finished: second + 900 } });
});
