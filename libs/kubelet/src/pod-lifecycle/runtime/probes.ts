import { answerAt, nextStepAt } from '../../behaviour';
import type { Probe } from '../pod-types';
import type { ContainerRun } from './container-run';

/** What the probes of a running container say, and when they will say something else. */
export interface ProbeResult {
  started: boolean;
  ready: boolean;
  changesAt?: number;
}

const never: ProbeResult = { started: false, ready: false };

/** When the startup probe has succeeded, ms; at once without one. Simulated probes succeed at the first attempt. */
export function startedAtOf(run: ContainerRun): number {
  const delay = (run.container.startupProbe?.initialDelaySeconds ?? 0) * 1000;
  return (run.startedAt ?? 0) + delay;
}

function readyAtOf(run: ContainerRun): number {
  const started = startedAtOf(run);
  const probe: Probe | undefined = run.container.readinessProbe;
  if (!probe) return started;
  const first = Math.max(started, (run.startedAt ?? 0) + (probe.initialDelaySeconds ?? 0) * 1000);
  return first + ((probe.successThreshold ?? 1) - 1) * (probe.periodSeconds ?? 10) * 1000;
}

/**
 * `started` and `ready` of a container as its status has them. A plain init container is ready when it has ended with 0; an
 * ephemeral one never is.
 */
export function probe(run: ContainerRun, now: number): ProbeResult {
  if (run.role === 'init') return { started: run.state === 'running', ready: run.state === 'exited' && run.exit?.exitCode === 0 };
  if (run.state !== 'running' || run.role === 'ephemeral') return never;
  const startedAt = startedAtOf(run);
  if (now < startedAt) return { ...never, changesAt: startedAt };
  const readyAt = readyAtOf(run);
  if (now < readyAt) return { started: true, ready: false, changesAt: readyAt };
  const { readiness } = run.behaviour.health;
  if (!readiness) return { started: true, ready: true };
  const since = now - (run.startedAt ?? 0);
  const next = nextStepAt(readiness, since);
  return { started: true, ready: answerAt(readiness, since).ok, ...(next === undefined ? {} : { changesAt: now - since + next }) };
}
