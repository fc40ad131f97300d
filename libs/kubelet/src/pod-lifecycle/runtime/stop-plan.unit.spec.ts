import { describe, expect, it } from 'vitest';
import { aRun, aRuntime, exited, running } from './runs.fixture';
import { planStop } from './stop-plan';

const at = 100_000;
const pod = { metadata: { name: 'p', namespace: 'n', uid: 'u', creationTimestamp: '' } };
const stop = (graceSeconds: number) => ({ cause: 'deletion' as const, at, graceSeconds });
/** `name after ms with code`, in order of the end. */
const told = (plan: ReturnType<typeof planStop>): string[] =>
  [...plan.ends].sort((a, b) => a.at - b.at).map((end) => `${end.run.container.name} ${end.at - at} ${end.exitCode}`);

describe('main containers', () => {
  it('end on their own terms, side by side', () => {
    const main = [
      aRun('a', { ...running(), does: { 'on-term': 'takes 1s' } }),
      aRun('b', { ...running(), does: { 'on-term': 'ignore' } }),
      aRun('c', exited(0)),
    ];
    const plan = planStop(aRuntime({ main }), stop(6), pod);
    expect(told(plan)).toEqual(['a 1000 0', 'b 6000 137']);
    expect(plan.over - at).toBe(6_000);
  });

  it.each([
    [0, 2_000],
    [1, 2_000],
    [2, 2_000],
    [30, 30_000],
  ])('that ignore TERM are killed after a grace of %d s at %d ms', (grace, killedAt) => {
    const plan = planStop(aRuntime({ main: [aRun('a', { ...running(), does: { 'on-term': 'ignore' } })] }), stop(grace), pod);
    expect(told(plan)).toEqual([`a ${killedAt} 137`]);
  });

  it.each([
    [3, 30, 'takes 1s', 'a 4000 0'],
    [20, 5, 'takes 1s', 'a 6000 0'],
    [4, 4, 'takes 3s', 'a 6000 137'],
    [3, 30, 'ignore', 'a 30000 137'],
  ])('with a preStop sleep of %d s and a grace of %d s that on TERM do: %s', (seconds, grace, term, expected) => {
    const run = aRun('a', { ...running(), does: { 'on-term': term }, with: { lifecycle: { preStop: { sleep: { seconds } } } } });
    expect(told(planStop(aRuntime({ main: [run] }), stop(grace), pod))).toEqual([expected]);
  });

  it('that end by themselves meanwhile do so', () => {
    const run = aRun('a', { ...running(at - 5_000), does: { 'on-term': 'ignore', 'run-for': '6s', 'exit-code': '9' } });
    expect(told(planStop(aRuntime({ main: [run] }), stop(30), pod))).toEqual(['a 1000 9']);
  });
});

describe('sidecars', () => {
  const side = (name: string, term = 'takes 1s') => aRun(name, { ...running(), role: 'sidecar', does: { 'on-term': term } });

  it('end in reverse order, after the main containers', () => {
    const main = [aRun('app', { ...running(), does: { 'on-term': 'takes 2s' } })];
    const plan = planStop(aRuntime({ init: [side('s1'), side('s2'), side('s3')], main }), stop(30), pod);
    expect(told(plan)).toEqual(['app 2000 0', 's3 3000 0', 's2 4000 0', 's1 5000 0']);
  });

  it('have only what waiting left of the grace, and two seconds at least', () => {
    const main = [aRun('app', { ...running(), does: { 'on-term': 'ignore' } })];
    expect(told(planStop(aRuntime({ init: [side('side', 'takes 4s')], main }), stop(5), pod))).toEqual(['app 5000 137', 'side 7000 137']);
    const quick = [aRun('app', { ...running(), does: { 'on-term': 'takes 2s' } })];
    expect(told(planStop(aRuntime({ init: [side('side', 'ignore')], main: quick }), stop(6), pod))).toEqual([
      'app 2000 0',
      'side 6000 137',
    ]);
  });
});

it('is over at once where nothing runs', () => {
  expect(planStop(aRuntime({ main: [aRun('a', exited(1)), aRun('b')] }), stop(30), pod)).toEqual({ ends: [], over: at });
});
