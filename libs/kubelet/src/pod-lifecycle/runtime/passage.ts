import type { ClusterState, PodMarks, QueuedPull } from '#libs/cluster-state';
import type { Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import type { KubeletDefaults } from '../../behaviour';

/** What a look at an accepted pod rests on, beside its containers. */
export interface Passage {
  readonly cluster: ClusterState;
  readonly node: KubeObject;
  readonly pod: KubeObject;
  /** Ms since the epoch. */
  readonly now: number;
  readonly defaults: KubeletDefaults;
  /** What the log says of the pod's life to the millisecond. */
  readonly marks: PodMarks;
  /** The other pods that count on the node, with what is set aside for them. */
  readonly neighbours: () => Iterable<KubeObject>;
  /** Pulls that have just been put into the node's queue, though the log does not show it yet. */
  readonly assumedPulls: readonly QueuedPull[];
  /** An address for the pod's sandbox. */
  readonly assignAddress: () => string;
}

/** An Event for the pod's owner. */
export interface Note {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** The container that it is about: the Event names its place in the spec. Absent: the pod as a whole. */
  container?: string;
  /** Of the Event object. */
  annotations?: Record<string, string>;
}

/** A note that is written. */
export interface WrittenNote extends Note {
  /** How often it has happened in all. Absent: once more than was told. */
  count?: number;
  times?: number;
}

/** What has happened to a pod's containers up to a moment. */
export interface Progress {
  /** Told in the append of the status that they led to. */
  facts: Fact[];
  /** Pulls that take their turns from now on. */
  pulls?: Fact[];
  /** What no fact tells. */
  notes: WrittenNote[];
  /** What keeps a container from its start may go when a ConfigMap or a Secret changes. */
  waits?: boolean;
  /** When something will happen next though nothing changes, ms. */
  wakeAt?: number;
}

/** Something will be otherwise at that moment, ms; undefined, or past: nothing will. */
export function wakeBy(progress: Progress, at: number | undefined, now: number): void {
  if (at === undefined || at <= now || at === Number.POSITIVE_INFINITY) return;
  if (progress.wakeAt === undefined || at < progress.wakeAt) progress.wakeAt = at;
}
