import type { ClusterState } from '#libs/cluster-state';
import type { Decision, DecisionContext, Controller, StepOutcome } from '#libs/control-loop';
import type { JsonObject } from '#libs/kernel';
import { createProfiles, type Profiles, type Registry } from '#libs/scheduling';
import { bindingSettled, nextWait, nextWaitTimeout, waitDecided, waitOver } from './binding-cycle';
import { behaviourWith, withoutSecrets } from './configuration';
import { addAllEventHandlers, followAppend } from './event-handlers';
import { failureSettled } from './handle-scheduling-failure';
import { subjectOf, type Decided } from './outcome';
import { newSchedulerState, type Flight, type SchedulerState } from './scheduler-state';
import { abandonQuestion, nextPod, podDecided, scheduleOne, type NextPod } from './scheduling-cycle';
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

export interface SchedulerController extends Controller<SchedulerState> {
  readonly profiles: Profiles;
}

/**
 * The scheduler as a state machine: takes a pod, decides on a snapshot, assumes, writes. Decisions are pipelined: one that is not
 * in the log yet counts for the next. `next`, `decide` and `decided` are the table of contents of what it does.
 */
export function schedulerController(options: SchedulerControllerOptions = {}): SchedulerController {
  const create = (): Profiles => createProfiles(options.config, { registry: options.registry });
  // A bad configuration is refused when the controller is made, not at its first decision.
  const profiles = create();
  return {
    name: options.identity ? `scheduler-${options.identity}` : 'scheduler',
    behaviour: behaviourWith(profiles, options.registry),
    stream: 'scheduler-decisions',
    config: options.config === undefined ? {} : { kubeSchedulerConfiguration: withoutSecrets(options.config) },
    profiles,

    initial(cluster, now) {
      const state = newSchedulerState(create());
      for (const unfinished of unfinishedPreemptions(cluster)) {
        state.unfinishedPreemptions.push(unfinished);
        state.queue.setPreempting(unfinished.uid, true);
      }
      addAllEventHandlers(state, cluster, now);
      return state;
    },

    apply(state, append) {
      followAppend(state, append, append.time);
    },

    next: (state, _cluster, now) => nextDue(state, now)?.subject,
    decide,
    decided,
    settled,

    nextWake(state, now) {
      // While an extender is thinking, only its answer (or the end of a wait) brings the next decision.
      const queueWake = state.asking && !state.asking.isAnswered ? undefined : state.queue.nextWake(now);
      const waitWake = nextWaitTimeout(state);
      return queueWake === undefined || waitWake === undefined ? (queueWake ?? waitWake) : Math.min(queueWake, waitWake);
    },
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

function decide(state: SchedulerState, cluster: ClusterState, subject: string, context: DecisionContext): Decided | undefined {
  const due = nextDue(state, context.now);
  if (due?.subject !== subject) return undefined;
  switch (due.what) {
    case 'finish a preemption':
      return finishPreemption(cluster, due.uid);
    case 'end a wait':
      return waitOver(state, cluster, due.flight, context);
    case 'flush the queue':
      return undefined;
    case 'attempt a pod':
      return scheduleOne(state, cluster, due.next, context);
  }
}

function decided(
  state: SchedulerState,
  _cluster: ClusterState,
  subject: string,
  decision: Decision | undefined,
  context: DecisionContext,
): void {
  const due = nextDue(state, context.now);
  if (due?.subject !== subject) return;
  const made = decision as Decided | undefined;
  switch (due.what) {
    case 'finish a preemption':
      state.unfinishedPreemptions.shift();
      if (!made) preemptionFinished(state, due.uid, context.now);
      return;
    case 'end a wait':
      waitDecided(state, due.flight, made, context);
      return;
    case 'flush the queue':
      state.queue.flush(context.now);
      return;
    case 'attempt a pod':
      podDecided(state, due.next, made, context);
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
