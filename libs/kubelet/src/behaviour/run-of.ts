import { derivedIndex } from '#libs/kernel';
import type { ContainerBehaviour, RunBehaviour } from './container-behaviour';

/** What the container's run does that is its attempt number `restartCount`, chance drawn. */
export function runOf({ runs, seed }: Pick<ContainerBehaviour, 'runs' | 'seed'>, restartCount: number): RunBehaviour {
  const run = runs[Math.min(restartCount, runs.length - 1)] as RunBehaviour;
  const { runForMs, runForMaxMs } = run;
  if (runForMs === undefined || runForMaxMs === undefined || runForMaxMs <= runForMs) return run;
  return { ...run, runForMs: runForMs + derivedIndex(`${seed}/run/${restartCount}`, runForMaxMs - runForMs + 1) };
}

/** The behaviour of a container whose run, and any that comes after it, does this. */
export function doingOnly(behaviour: ContainerBehaviour, run: RunBehaviour): ContainerBehaviour {
  return { ...behaviour, runs: [run] };
}
