import type { ContainerRun, PodRuntime } from '../container-run';
import type { Passage, Progress } from '../passage';

/** What keeps a container from being started though its turn has come. */
export interface Obstacle {
  /** Of its waiting state; absent: as it was. */
  reason?: string;
  message?: string;
  /** When it will be gone, or another, ms; undefined: not by time. */
  until?: number;
  /** The pod's sync has to do with it until then, ms; undefined: it is not held up. */
  busyUntil?: number;
}

/** A container whose turn is at a moment (ms): its wait is over, and those before it are through. */
export interface Turn {
  run: ContainerRun;
  at: number;
}

/**
 * Something that has to be done before a container is started: from when it is (ms, the turn itself where nothing is to be done), or what
 * stands in the way. What it has to tell (`Pulling`, `Failed`) it notes itself, when it is due.
 */
export type StartGate = (turn: Turn, runtime: PodRuntime, passage: Passage, progress: Progress) => number | Obstacle;
