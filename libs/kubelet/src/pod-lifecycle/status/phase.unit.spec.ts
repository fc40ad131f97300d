import { describe, expect, it } from 'vitest';
import type { ContainerRun, PodRuntime } from '../runtime/container-run';
import { aRun, aRuntime, exited, running } from '../runtime/runs.fixture';
import { phaseOf } from './phase';

const crashing: Partial<ContainerRun> = { ...exited(1), state: 'waiting', waitingReason: 'CrashLoopBackOff' };
const main = (...states: Partial<ContainerRun>[]): Partial<PodRuntime> => ({
  main: states.map((state, index) => aRun(`c${index}`, state)),
});
const init = (...states: Partial<ContainerRun>[]): Partial<PodRuntime> => ({
  init: states.map((state, index) => aRun(`i${index}`, { role: 'init', ...state })),
});

describe('the phase that containers add up to', () => {
  const cases: [name: string, runtime: Partial<PodRuntime>, always: string, onFailure: string, never: string][] = [
    ['nothing started', main({}), 'Pending', 'Pending', 'Pending'],
    ['one of two waits', main(running(), {}), 'Pending', 'Pending', 'Pending'],
    ['all run', main(running(), running()), 'Running', 'Running', 'Running'],
    ['one runs, one ended', main(running(), exited(1)), 'Running', 'Running', 'Running'],
    ['all ended with 0', main(exited(0), exited(0)), 'Running', 'Succeeded', 'Succeeded'],
    ['one ended with 1', main(exited(0), exited(1)), 'Running', 'Running', 'Failed'],
    ['in CrashLoopBackOff', main(crashing), 'Running', 'Running', 'Failed'],
    ['init runs', { ...init(running()), ...main({}) }, 'Pending', 'Pending', 'Pending'],
    ['init failed', { ...init(exited(1)), ...main({}) }, 'Pending', 'Pending', 'Failed'],
    ['init done, main to start', { ...init(exited(0)), ...main({}) }, 'Pending', 'Pending', 'Pending'],
    ['stopped for good, all with 0', { ...main(exited(0)), finished: true }, 'Succeeded', 'Succeeded', 'Succeeded'],
    ['stopped for good, one with 143', { ...main(exited(0), exited(143)), finished: true }, 'Failed', 'Failed', 'Failed'],
    ['sidecar runs, main done', { ...init({ ...running(), role: 'sidecar' }), ...main(exited(0)) }, 'Running', 'Running', 'Running'],
    ['sidecar restarts, main runs', { ...init({ ...crashing, role: 'sidecar' }), ...main(running()) }, 'Running', 'Running', 'Running'],
    ['sidecar waits, main never ran', { ...init({ role: 'sidecar' }), ...main({}) }, 'Pending', 'Pending', 'Pending'],
  ];
  it.each(cases)('%s', (_name, runtime, always, onFailure, never) => {
    const phases = ['Always', 'OnFailure', 'Never'].map((policy) => phaseOf(aRuntime(runtime), policy, 0));
    expect(phases).toEqual([always, onFailure, never]);
  });
});
