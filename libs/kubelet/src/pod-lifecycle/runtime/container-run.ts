import type { ContainerBehaviour, ContainerRole, ExecAnswer, Timeline } from '../../behaviour';
import type { Container, ResourceRequirements } from '../pod-types';
import type { ResizeState } from './resize';

/** How a run of a container ended. Times in ms since the epoch; absent for a container that could not be found. */
export interface Exit {
  exitCode: number;
  reason: string;
  message?: string;
  startedAt?: number;
  finishedAt?: number;
  containerId?: string;
}

/** A pull of an image that has succeeded. Durations are ms. */
export interface ImagePull {
  tookMs: number;
  waitedMs?: number;
  bytes: number;
  /** That it began was told when it did. */
  announced?: boolean;
}

/** What the probes of a pod's containers have in common. Times in ms since the epoch. */
export interface ProbeGround {
  uid: string;
  /** When the kubelet took the pod. */
  acceptedAt: number;
  /** When the node's kubelet last began anew; undefined: it is the one that the node came with. */
  kubeletStartedAt: number | undefined;
  podIP: () => string;
  /** What a command finds that runs beside the container's own program; undefined: that cannot be told. */
  programAnswers: (run: ContainerRun, command: readonly string[]) => Timeline<ExecAnswer> | undefined;
}

/** What the container runtime knows of one container: the present run, how it came to that, and the run before. */
export interface ContainerRun {
  readonly container: Container;
  readonly role: ContainerRole;
  behaviour: ContainerBehaviour;
  readonly ground: ProbeGround;
  state: 'waiting' | 'running' | 'exited';
  waitingReason?: string;
  waitingMessage?: string;
  /** Running: since when. */
  startedAt?: number;
  /** When the status first showed that the present or latest run goes on, where that was later than its start. */
  shownAt?: number;
  /** Exited, or waiting to be restarted: how the latest run ended. */
  exit?: Exit;
  /** How the run before the present or latest one ended. */
  previous?: Exit;
  restartCount: number;
  /** The wait after this run, ms; undefined: none yet. */
  backOffMs?: number;
  /** The kubelet itself has ended the run, for another to follow. */
  killed?: boolean;
  /** Its postStart hook has failed: a sync ended with that, and another begins when the container is found to have ended. */
  hookFailed?: boolean;
  /** The status shows already that it has exited. */
  exitShown: boolean;
  /** Absent: never created. */
  containerId?: string;
  image: string;
  imageId: string;
  /** What the kubelet has set aside for it: what the spec asks for, or asked for before a resize. */
  allocated: ResourceRequirements;
  /** What the present run has been given; of a container that does not run: what it will be given. */
  actual: ResourceRequirements;
  /** When it was last given other resources, ms. */
  resizedAt?: number;
  /** About to start: its image was pulled for it. */
  pull?: ImagePull;
}

/** What the container runtime knows of a pod. Together with the pod's spec it gives the pod's status. */
export interface PodRuntime {
  /** When the kubelet took the pod, ms. */
  acceptedAt: number;
  readonly ground: ProbeGround;
  /** When the kubelet took note of the present generation, ms; undefined: not known to the millisecond any more. */
  observedAt: number | undefined;
  /** The sandbox exists and has its address. */
  sandbox: boolean;
  /** When the sandbox last died, ms; undefined: it never did. */
  sandboxDiedAt?: number;
  /** It died with its machine: nobody saw how its containers ended. */
  hasRebooted?: boolean;
  podIP: string | undefined;
  init: ContainerRun[];
  main: ContainerRun[];
  ephemeral: ContainerRun[];
  resize: ResizeState;
  /** Every container is stopped for good: the pod is to end. */
  finished: boolean;
  /** The kubelet has not taken note of the present generation: it is still about what came before. */
  isUnaware?: boolean;
  /** The kubelet gave the pod up, whatever its containers end with. */
  verdict?: Verdict;
}

export interface Verdict {
  reason: string;
  message: string;
  /** Of an order of the kubelet: it is told only at the end, and not of a pod whose containers all end with 0. */
  isLate?: boolean;
  /** Message of the condition DisruptionTarget (TerminationByKubelet), which tells at the end, in any case, that the pod did not end by itself. */
  disruption?: string;
}

export function neverStarted(run: ContainerRun): boolean {
  return run.state === 'waiting' && run.exit === undefined;
}

export function allRuns({ init, main, ephemeral }: Readonly<PodRuntime>): readonly ContainerRun[] {
  return init.length === 0 && ephemeral.length === 0 ? main : [...init, ...main, ...ephemeral];
}

export function anyRunning(runtime: PodRuntime): boolean {
  for (const run of allRuns(runtime)) if (run.state === 'running') return true;
  return false;
}

/** Some main container runs or ran (upstream `HasAnyRegularContainerStarted`): init containers are over for good. */
export function hasInitialized(runtime: PodRuntime): boolean {
  return runtime.main.some((run) => run.state !== 'waiting');
}

export function exitOf(run: ContainerRun, exitCode: number, finishedAt: number): Exit {
  return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: run.startedAt, finishedAt, containerId: run.containerId };
}

/** The dead container of an earlier run is cleared away once no further run will follow. */
export function forgetPrevious(run: ContainerRun): void {
  if (run.state === 'exited') run.previous = undefined;
}

export function endRun(run: ContainerRun, exit: Exit): void {
  run.state = 'exited';
  run.exit = exit;
  run.startedAt = undefined;
}
