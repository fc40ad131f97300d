import { describe, expect, it } from 'vitest';
import { restartWaitMs } from './back-off';
import { aRun, exited } from './runs.fixture';

const second = 1_000;

describe('the wait before a restart', () => {
  it('is none after the first run', () => {
    expect(restartWaitMs(aRun('app', exited(1, 5 * second)))).toBe(0);
  });

  it('doubles from 10 s to 300 s, told from the wait that went before', () => {
    const waits: number[] = [];
    let wait = 0;
    let finished = 0;
    for (let run = 1; run <= 9; run++) {
      const startedAt = finished + wait + 300;
      const previous = { exitCode: 1, reason: 'Error', finishedAt: finished };
      wait = restartWaitMs(aRun('app', { ...exited(1, startedAt + second, startedAt), previous, restartCount: run }));
      finished = startedAt + second;
      waits.push(wait / second);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300]);
  });

  it('is told rightly from whole seconds too', () => {
    for (const [waited, next] of [
      [0, 10],
      [10, 20],
      [20, 40],
      [40, 80],
      [80, 160],
      [160, 300],
      [300, 300],
    ] as const) {
      for (const offset of [-1, 0, 1]) {
        const startedAt = (1_000 + waited + offset) * second;
        const previous = { exitCode: 1, reason: 'Error', finishedAt: 1_000 * second };
        expect(restartWaitMs(aRun('app', { ...exited(1, startedAt + second, startedAt), previous, restartCount: 3 }))).toBe(next * second);
      }
    }
  });

  it('begins anew after a run of more than ten minutes', () => {
    const previous = { exitCode: 1, reason: 'Error', finishedAt: 0 };
    const after = (runMs: number): number =>
      restartWaitMs(aRun('app', { ...exited(1, 40 * second + runMs, 40 * second), previous, restartCount: 4 }));
    expect(after(600 * second)).toBe(80 * second);
    expect(after(601 * second)).toBe(0);
  });

  it('is the one that the status names while the container waits', () => {
    const message = 'back-off 1m20s restarting failed container=app pod=p_default(u)';
    expect(
      restartWaitMs(
        aRun('app', { ...exited(1), state: 'waiting', waitingReason: 'CrashLoopBackOff', waitingMessage: message, restartCount: 4 }),
      ),
    ).toBe(80 * second);
  });

  it('does not take the time a start takes for a wait', () => {
    const previous = { exitCode: 1, reason: 'Error', finishedAt: 0 };
    const run = aRun('app', { ...exited(1, 42 * second, 40 * second), previous, restartCount: 2, does: { startup: '30s' } });
    expect(restartWaitMs(run)).toBe(20 * second);
  });
});
