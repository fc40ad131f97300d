import { answerAt, nextStepAt, type ContainerBehaviour, type ExecAnswer, type Timeline } from '../../../behaviour';
import type { Container, Probe } from '../../pod-types';

/** What one round of a probe comes to. `error`: it could not be made, and says nothing of the container. */
export interface ProbeOutcome {
  result: 'success' | 'warning' | 'failure' | 'error';
  /** What is told of it, where it is anything but a plain success. */
  text: string;
  /** From the round's begin to its result, ms. */
  takesMs: number;
}

/** An outcome, and until when (ms since the run began, exclusive) rounds come to the same. */
export interface ProbeFinding extends ProbeOutcome {
  untilMs: number;
}

/** What a round finds that begins this many ms after the run did. */
export type ProbeFinder = (sinceStartMs: number) => ProbeFinding;

/** What a handler needs to know beside the probe. */
export interface ProbeTarget {
  container: Container;
  behaviour: ContainerBehaviour;
  /** Where probes over the network go that name no host. */
  podIP: string;
  /** The answers to an exec probe that come from the container's own program; undefined: it is not known. */
  programAnswers: (command: readonly string[]) => Timeline<ExecAnswer> | undefined;
}

export const succeeds: ProbeOutcome = { result: 'success', text: '', takesMs: 0 };

export const fails = (text: string, takesMs = 0): ProbeOutcome => ({ result: 'failure', text, takesMs });

/** The tries that upstream makes in such a round (`maxProbeRetries`) come to nothing, and take no time. */
export const cannotBeMade = (text: string): ProbeOutcome => ({ result: 'error', text, takesMs: 0 });

export const found = (outcome: ProbeOutcome, untilMs = Number.POSITIVE_INFINITY): ProbeFinding => ({ ...outcome, untilMs });

/** A finder that reads a timeline. */
export function finderOf<A>(answers: Timeline<A>, read: (answer: A) => ProbeOutcome): ProbeFinder {
  return (since) => found(read(answerAt(answers, since)), nextStepAt(answers, since));
}

export const alwaysFinds = (outcome: ProbeOutcome): ProbeFinder => {
  const finding = found(outcome);
  return () => finding;
};

/** Time that a round may take, ms. */
export const timeoutMsOf = ({ timeoutSeconds }: Probe): number => Math.max(1, timeoutSeconds ?? 1) * 1_000;
