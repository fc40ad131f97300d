import type { ClusterState } from '#libs/cluster-state';
import type { Decision, DecisionContext, StepOutcome, WholeController } from '#libs/control-loop';
import type { JsonObject } from '#libs/kernel';
import { createProfiles, type ExtenderCall, type Profiles, type Registry } from '#libs/scheduling';
import { bindingSettled, nextWait, nextWaitTimeout, waitLookedAt, waitOver } from './binding-cycle';
import { behaviourWith, withoutSecrets } from './configuration';
import { addAllEventHandlers, followAppend } from './event-handlers';
import { failureSettled } from './handle-scheduling-failure';
import { subjectOf, type Look } from './look';
import { rederive } from './made-again';
import { newSchedulerState, type Flight, type SchedulerState } from './scheduler-state';
import { abandonQuestion, nextPod, podLookedAt, scheduleOne, type NextPod } from './scheduling-cycle';
import {
  finishPreemption,
  isUnfinishedPreemption,
  preemptionFinished,
  preemptionSubject,
  preemptorOf,
  unfinishedPreemptions,
} from './unfinished-preemptions';

export interface SchedulerControllerOptions {
  /** A KubeSchedulerConfiguration as an object; all defaults when absent. */
  config?: JsonObject;
  /** Tells several schedulers on one store apart. */
  identity?: string;
  /** Plugins of one's own, by name, for a configuration to enable. */
  registry?: Registry;
}

/** The controller, and the questions to extenders that it has recorded and somebody has to send. */
export interface SchedulerController extends WholeController<SchedulerState> {
  readonly profiles: Profiles;
  /** By the name of the question (`ExtenderAsked.ask`). Whoever sends it takes it out. */
  readonly outbox: Map<string, ExtenderCall>;
}

/**
 * The scheduler as a state machine: takes a pod, decides on a snapshot, assumes, writes. Decisions are pipelined: one that is not
 * in the log yet counts for the next.
 */
export function schedulerController(options: SchedulerControllerOptions = {}): SchedulerController {
  const create = (): Profiles => createProfiles(options.config, { registry: options.registry });
  // A bad configuration is refused when the controller is made, not at its first decision.
  const profiles = create();
  const outbox = new Map<string, ExtenderCall>();
  return {
    name: options.identity ? `scheduler-${options.identity}` : 'scheduler',
    behaviour: behaviourWith(profiles, options.registry),
    stream: 'scheduler-decisions',
    config: options.config === undefined ? {} : { kubeSchedulerConfiguration: withoutSecrets(options.config) },
    profiles,
    outbox,

    initial(cluster, now) {
      const state = newSchedulerState(create());
      for (const unfinished of unfinishedPreemptions(cluster)) {
        state.unfinishedPreemptions.push(unfinished);
        state.queue.setPreempting(unfinished.uid, true);
      }
      addAllEventHandlers(state, cluster, now);
      return state;
    },

    apply(state, append, cluster) {
      followAppend(state, append, cluster.time);
    },

    decide(state, cluster, context) {
      for (let due = nextDue(state, context.now); due; due = nextDue(state, context.now)) {
        const look = lookAt(state, cluster, due, context);
        lookedAt(state, cluster, due, look, context);
        if (look?.call) outbox.set(context.decision, look.call);
        if (look) return look.decision;
      }
      return undefined;
    },

    settled,

    nextWake(state, now) {
      // While an extender is thinking, only its answer (or the end of a wait) brings the next decision.
      const queueWake = state.asking && !state.asking.isAnswered ? undefined : state.queue.nextWake(now);
      const waitWake = nextWaitTimeout(state);
      return queueWake === undefined || waitWake === undefined ? (queueWake ?? waitWake) : Math.min(queueWake, waitWake);
    },

    rederive,
  };
}

/** What the scheduler would do now, in this order. */
type Due =
  | { what: 'finish a preemption'; subject: string; uid: string }
  | { what: 'end a wait'; subject: string; flight: Flight }
  /** Back-offs are over, or pods have waited too long: they are moved before the next one is taken. */
  | { what: 'flush the queue'; subject: string }
  | { what: 'attempt a pod'; subject: string; next: NextPod };

function nextDue(state: SchedulerState, now: number): Due | undefined {
  const [unfinished] = state.unfinishedPreemptions;
  if (unfinished) return { what: 'finish a preemption', subject: preemptionSubject(unfinished.uid), uid: unfinished.uid };
  const flight = nextWait(state, now);
  if (flight) return { what: 'end a wait', subject: subjectOf(flight.queued.info.pod), flight };
  if (!state.asking && state.queue.isFlushDue(now)) return { what: 'flush the queue', subject: 'scheduling-queue' };
  const next = nextPod(state);
  return next && { what: 'attempt a pod', subject: subjectOf(next.queued.info.pod), next };
}

/** A function of state, cluster and context: changes nothing. Undefined: there is nothing to write. */
function lookAt(state: SchedulerState, cluster: ClusterState, due: Due, context: DecisionContext): Look | undefined {
  switch (due.what) {
    case 'finish a preemption': {
      const decision = finishPreemption(cluster, due.uid);
      return decision && { decision, outcome: { kind: 'skipped' } };
    }
    case 'end a wait':
      return waitOver(state, cluster, due.flight, context);
    case 'flush the queue':
      return undefined;
    case 'attempt a pod':
      return scheduleOne(state, cluster, due.next, context);
  }
}

/** Puts into the state what came of the look. */
function lookedAt(state: SchedulerState, cluster: ClusterState, due: Due, look: Look | undefined, context: DecisionContext): void {
  switch (due.what) {
    case 'finish a preemption':
      state.unfinishedPreemptions.shift();
      if (!look) preemptionFinished(state, due.uid, cluster.time);
      return;
    case 'end a wait':
      waitLookedAt(state, due.flight, look, context);
      return;
    case 'flush the queue':
      state.queue.flush(context.now);
      return;
    case 'attempt a pod':
      podLookedAt(state, due.next, look, context);
  }
}

/** All steps of a decision have been answered, and what they wrote has been folded. */
function settled(state: SchedulerState, decision: Decision, ordinal: number, outcomes: readonly StepOutcome[], now: number): void {
  if (isUnfinishedPreemption(decision.subject)) {
    preemptionFinished(state, preemptorOf(decision.subject), now);
    return;
  }
  const isRefused = outcomes.some(({ kind }) => kind === 'refused');
  const flight = state.underWay.get(ordinal);
  if (!flight) {
    state.underWay.delete(ordinal);
    if (isRefused && state.asking?.ordinal === ordinal) abandonQuestion(state, now);
  } else if (flight.result.kind === 'bound') bindingSettled(state, flight, isRefused, now);
  else failureSettled(state, flight, flight.result, now);
}
