import type { ClusterState } from '#libs/cluster-state';
import type { AssumedDecision, Controller, Decision, DecisionContext, StepOutcome } from '#libs/control-loop';
import type { Basis } from '#libs/events';
import { derivedId, type JsonObject, type KubeObject } from '#libs/kernel';
import { createProfiles, eventAssignedPodDelete, podInfoOf, schedulePod, type AttemptResult, type PodInfo } from '#libs/scheduling';
import { withAssumed } from './assumed';
import { decisionOf, skipped } from './decision';
import { followAppend, loadCluster } from './follow-cluster';
import { newSchedulerState, type Flight, type SchedulerState } from './scheduler-state';
import { actUid, finishAct, isActSubject, unfinishedActs } from './unfinished-acts';

export interface SchedulerControllerOptions {
  /** A KubeSchedulerConfiguration as an object; all defaults when absent. */
  config?: JsonObject;
  /** Tells several schedulers on one store apart. */
  identity?: string;
}

/** Changes whenever the same basis may give another decision. */
const behaviour = 'v1.34/1';

/**
 * The scheduler as a state machine: pops a pod, decides on a snapshot, assumes, writes. Decisions are pipelined: one that is not
 * in the log yet counts for the next, and the basis of each says which those were.
 */
export function schedulerController(options: SchedulerControllerOptions = {}): Controller<SchedulerState> {
  const config: JsonObject = options.config === undefined ? {} : { kubeSchedulerConfiguration: options.config };
  const createState = (): SchedulerState => newSchedulerState(createProfiles(options.config));
  // A bad configuration is refused when the controller is made, not at its first decision.
  createState();
  return {
    name: options.identity ? `scheduler-${options.identity}` : 'scheduler',
    behaviour,
    stream: 'scheduler-decisions',
    config,

    initial(cluster, now) {
      const state = createState();
      for (const { uid, act } of unfinishedActs(cluster)) {
        state.unfinishedActs.push({ uid, act });
        state.queue.setPreempting(uid, true);
      }
      loadCluster(state, cluster, now);
      return state;
    },

    apply(state, append, _cluster, now) {
      followAppend(state, append, now);
    },

    decide: (state, cluster, context) => nextAct(state, cluster) ?? nextAttempt(state, cluster, context),

    settled(state, decision, ordinal, outcomes, now) {
      state.ordinalsUnderWay.delete(ordinal);
      if (isActSubject(decision.subject)) {
        const uid = actUid(decision.subject);
        state.queue.setPreempting(uid, false);
        state.queue.activate(uid, now);
        return;
      }
      for (const flight of state.flights.values()) if (flight.ordinal === ordinal) land(state, flight, outcomes, now);
    },

    nextWake: (state, now) => state.queue.nextWake(now),

    rederive: (state, cluster, basis, context, assumed) => rederive(state, cluster, basis, context, assumed),
  };
}

function nextAct(state: SchedulerState, cluster: ClusterState): Decision | undefined {
  for (let next = state.unfinishedActs.shift(); next; next = state.unfinishedActs.shift()) {
    const decision = finishAct(cluster, next.uid);
    if (decision) return decision;
    state.queue.setPreempting(next.uid, false);
    state.queue.activate(next.uid, cluster.time);
  }
  return undefined;
}

function nextAttempt(state: SchedulerState, cluster: ClusterState, context: DecisionContext): Decision | undefined {
  const { queue, cache } = state;
  for (let popped = queue.pop(context.now); popped; popped = queue.pop(context.now)) {
    const queued = popped.pod;
    const { uid, pod } = queued.info;
    const known = state.pending.get(uid);
    if (!known || cache.isAssumed(uid)) {
      queue.done(uid);
      continue;
    }
    if (pod.metadata.deletionTimestamp) {
      queue.done(uid);
      return skipped(pod);
    }
    const start = state.nextStartNodeIndex;
    const result = attempt(state, pod, start, context);
    if (!result) continue;
    state.nextStartNodeIndex = result.nextStartNodeIndex;
    const decision = decisionOf(pod, result, cluster, actIdOf(context.decision));
    assume(state, result, pod);
    state.flights.set(uid, { ordinal: context.ordinal, uid, key: decision.subject, queued, result, isOver: false });
    // A preemptor waits outside the attempt: its gate is lifted when its victims have been asked to go (async preemption).
    if (victimsOf(result).length > 0) {
      queue.setPreempting(uid, true);
      queue.addUnschedulable(queued, result, context.now, pod);
    }
    const [lowest] = state.ordinalsUnderWay;
    state.ordinalsUnderWay.add(context.ordinal);
    return { ...decision, cause: state.causes.get(uid), ...(lowest === undefined ? {} : { assumedFrom: lowest }), inputs: { start, poppedFrom: popped.poppedFrom } };
  }
  return undefined;
}

/** Names the act in the victims' events before the log has given it an id. */
function actIdOf(decision: string): string {
  return derivedId(`act/${decision}`);
}

function attempt(state: SchedulerState, pod: KubeObject, start: number, context: DecisionContext, evaluateAll = false): AttemptResult | undefined {
  const profile = state.profiles.get(podInfoOf(pod).spec.schedulerName || 'default-scheduler');
  if (!profile) return undefined;
  let draws = 0;
  return schedulePod(state.cache.snapshot(), pod, {
    profile,
    percentageOfNodesToScore: state.profiles.configuration.percentageOfNodesToScore,
    nominated: state.queue.nominator,
    chance: (bound) => context.chance.index(bound, `tie/${draws++}`),
    nextStartNodeIndex: start,
    now: context.now,
    evaluateAll,
  });
}

/** What was decided counts at once, before the log shows it. */
function assume(state: SchedulerState, result: AttemptResult, pod: KubeObject): void {
  const { cache, queue } = state;
  if (result.kind === 'bound') {
    cache.assumePod(pod, result.node);
    queue.nominator.delete(pod.metadata.uid);
    return;
  }
  const nomination = result.kind === 'error' ? '' : result.postFilter?.nominatedNodeName;
  if (nomination !== undefined) queue.nominator.add(podInfoOf(pod), nomination);
  if (result.kind !== 'unschedulable') return;
  for (const loser of result.postFilter?.preemption?.nominationsToClear ?? []) queue.nominator.delete(loser.uid);
}

function victimsOf(result: AttemptResult): readonly PodInfo[] {
  return result.kind === 'unschedulable' ? (result.postFilter?.preemption?.chosen?.victims ?? []) : [];
}

/** The log has the outcome (or refused it): the pod is bound, or waits again. */
function land(state: SchedulerState, flight: Flight, outcomes: readonly StepOutcome[], now: number): void {
  const { queue, cache } = state;
  const { uid, queued, result } = flight;
  state.flights.delete(uid);
  const pod = state.pending.get(uid);
  const victims = victimsOf(result);
  if (victims.length > 0) {
    queue.setPreempting(uid, false);
    // Nobody is left whose going could wake it.
    if (pod && victims.every((victim) => cache.podOn(victim.uid) === undefined)) queue.activate(uid, now);
    return;
  }
  const failed = outcomes[0]?.kind === 'refused';
  if (result.kind === 'bound') {
    if (!failed) {
      queue.done(uid);
      return;
    }
    cache.forgetPod(uid);
    queue.movePodsOnEvent(eventAssignedPodDelete, queued.info.pod, undefined, now, (waiting) => waiting.uid !== uid);
  }
  if (flight.isOver || !pod) {
    queue.done(uid);
    return;
  }
  const outcome: AttemptResult =
    result.kind === 'bound' ? { kind: 'error', message: 'binding was refused', reason: 'SchedulerError', nextStartNodeIndex: state.nextStartNodeIndex } : result;
  queue.addUnschedulable(queued, outcome, now, pod);
}

function rederive(state: SchedulerState, cluster: ClusterState, basis: Basis, context: DecisionContext, assumed: readonly AssumedDecision[]): Decision | undefined {
  if (isActSubject(basis.subject)) return finishAct(cluster, actUid(basis.subject));
  const pod = cluster.byKey('pods', basis.subject);
  if (!pod) return undefined;
  if (pod.metadata.deletionTimestamp) return skipped(pod);
  const start = (basis.inputs?.start as number | undefined) ?? 0;
  return withAssumed(state, cluster, assumed, () => {
    const result = attempt(state, pod, start, context);
    return result && decisionOf(pod, result, cluster, actIdOf(basis.decision));
  });
}

/** The attempt made again with every node looked at: what `why` shows. The state has folded all up to the basis. */
export function explainAttempt(
  state: SchedulerState,
  cluster: ClusterState,
  basis: Basis,
  context: DecisionContext,
  assumed: readonly AssumedDecision[],
): { pod: KubeObject; result: AttemptResult } | undefined {
  const pod = cluster.byKey('pods', basis.subject);
  if (!pod) return undefined;
  const start = (basis.inputs?.start as number | undefined) ?? 0;
  return withAssumed(state, cluster, assumed, () => {
    const result = attempt(state, pod, start, context, true);
    return result && { pod, result };
  });
}
