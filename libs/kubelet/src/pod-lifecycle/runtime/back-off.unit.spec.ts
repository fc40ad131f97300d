import { describe, expect, it } from 'vitest';
import { countsFrom, nextWaitMs, restartWaitMs } from './back-off';
import { aRun, exited } from './runs.fixture';

const second = 1_000;

describe('the wait before a restart', () => {
  it('is none after the first run', () => {
    expect(restartWaitMs(aRun('app', exited(1, 5 * second)))).toBe(0);
  });

  it('doubles from 10 s to 300 s', () => {
    const waits: number[] = [];
    let backOffMs: number | undefined;
    for (let run = 1; run <= 8; run++) {
      backOffMs = nextWaitMs(aRun('app', { ...exited(1, second), backOffMs, restartCount: run - 1 }));
      waits.push(restartWaitMs(aRun('app', { ...exited(1, second), backOffMs, restartCount: run })) / second);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('begins anew after a run of more than ten minutes', () => {
    const after = (runMs: number) =>
      aRun('app', { ...exited(1, 40 * second + runMs, 40 * second), backOffMs: 80 * second, restartCount: 4 });
    expect([restartWaitMs(after(600 * second)), nextWaitMs(after(600 * second))]).toEqual([80 * second, 160 * second]);
    expect([restartWaitMs(after(601 * second)), nextWaitMs(after(601 * second))]).toEqual([0, 10 * second]);
  });

  it('counts from the end of the run before, where the kubelet itself has ended the last one', () => {
    const killed = aRun('app', { ...exited(137, 90 * second, 60 * second), killed: true, restartCount: 1 });
    expect([countsFrom(killed), restartWaitMs(killed), nextWaitMs(killed)]).toEqual([undefined, 0, undefined]);
    const again = { ...killed, previous: { exitCode: 137, reason: 'Error', finishedAt: 50 * second }, backOffMs: 20 * second };
    expect([countsFrom(again), restartWaitMs(again), nextWaitMs(again)]).toEqual([50 * second, 20 * second, 40 * second]);
  });
});
