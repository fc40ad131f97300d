import type { ContainerRun } from '../container-run';
import { ContainerProbes } from './container-probes';

export type { ProbeKill } from './container-probes';

/** What the probes of a container say at a moment, and when they will say something else (ms). */
export interface ProbeResult {
  started: boolean;
  ready: boolean;
  changesAt?: number;
}

const never: ProbeResult = { started: false, ready: false };

/**
 * `started` and `ready` of a container as its status has them. A plain init container is ready when it has ended with 0; an
 * ephemeral one never is.
 */
export function probe(run: ContainerRun, now: number): ProbeResult {
  if (run.role === 'init') return { started: run.state === 'running', ready: run.state === 'exited' && run.exit?.exitCode === 0 };
  const probes = probesOf(run, now);
  if (!probes) return never;
  return { started: probes.startedAt() !== undefined, ready: probes.isReady, changesAt: probes.changesAt() };
}

/** When a running container counted as started, ms: once its startup probe has succeeded, or at once without one. Undefined: not yet. */
export function startedAtOf(run: ContainerRun, now: number): number | undefined {
  return probesOf(run, now)?.startedAt();
}

/** What the container's own program has to do with its probes. */
function ofProgram(run: ContainerRun): (ReturnType<ContainerRun['ground']['programAnswers']> | undefined)[] {
  const { startupProbe, readinessProbe, livenessProbe } = run.container;
  return [startupProbe, readinessProbe, livenessProbe].map(
    (each) => each?.exec?.command && run.ground.programAnswers(run, each.exec.command),
  );
}

/** Followed probes by their container: looks at a pod come in a row, and each goes on from the one before. What is here can be found again. */
const memory = new WeakMap<object, { basis: readonly unknown[]; probes: ContainerProbes }>();

/** The probes of a run, followed up to now; undefined: it does not run, or is of a kind that is not probed. */
export function probesOf(run: ContainerRun, now: number): ContainerProbes | undefined {
  const { container, state, role, behaviour, startedAt, ground } = run;
  if (state !== 'running' || startedAt === undefined || role === 'init' || role === 'ephemeral') return undefined;
  const { health, exec, http, tcp, grpc } = behaviour;
  const { uid, acceptedAt, kubeletStartedAt } = ground;
  const podIP = ground.podIP();
  const shownAt = run.shownAt ?? startedAt;
  const basis = [uid, acceptedAt, kubeletStartedAt, podIP, startedAt, shownAt, health, exec, http, tcp, grpc, ...ofProgram(run)];
  let known = memory.get(container);
  if (!known?.basis.every((part, index) => part === basis[index]) || known.probes.isBeyond(now)) {
    const anew = kubeletStartedAt !== undefined && kubeletStartedAt > shownAt ? kubeletStartedAt : undefined;
    const programAnswers = (command: readonly string[]): ReturnType<typeof ground.programAnswers> => ground.programAnswers(run, command);
    const probed = { container, behaviour, startedAt, seenAt: anew ?? shownAt, programAnswers };
    known = { basis, probes: new ContainerProbes(probed, { uid, acceptedAt, kubeletStartedAt, podIP }) };
    memory.set(container, known);
  }
  known.probes.advance(now);
  return known.probes;
}
