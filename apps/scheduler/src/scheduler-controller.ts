import type { ClusterState } from '#libs/cluster-state';
import type { AssumedDecision, Decision, DecisionContext, WholeController } from '#libs/control-loop';
import type { Basis } from '#libs/events';
import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { createProfiles, type AttemptResult, type ExtenderCall, type Profiles, type Registry } from '#libs/scheduling';
import { withAssumed } from './assumed';
import { attempt, inputsOf } from './attempt';
import { waitOutcome, type WaitEnd } from './binding-cycle';
import { afterWait, outcomeDecision, skipped } from './decision';
import { followAppend, loadCluster } from './follow-cluster';
import { nextAttempt } from './next-attempt';
import { nextWaitEnd, nextWaitTimeout } from './next-wait-end';
import { settleDecision } from './settling';
import { newSchedulerState, type SchedulerState } from './scheduler-state';
import { actUid, finishAct, isActSubject, unfinishedActs } from './unfinished-acts';

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

/** Changes whenever the same basis may give another decision. */
const behaviour = 'v1.34/3';

/**
 * The scheduler as a state machine: pops a pod, decides on a snapshot, assumes, writes. Decisions are pipelined: one that is not
 * in the log yet counts for the next, and the basis of each says which those were.
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
      for (const { uid, act } of unfinishedActs(cluster)) {
        state.unfinishedActs.push({ uid, act });
        state.queue.setPreempting(uid, true);
      }
      loadCluster(state, cluster, now);
      return state;
    },

    apply(state, append, cluster) {
      followAppend(state, append, cluster.time);
    },

    decide: (state, cluster, context) =>
      nextAct(state, cluster) ?? nextWaitEnd(state, cluster, context, outbox) ?? nextAttempt(state, cluster, context, outbox),

    settled(state, decision, ordinal, outcomes, now) {
      settleDecision(state, decision, ordinal, outcomes, now);
    },

    nextWake(state, now) {
      // While an extender is thinking, only its answer (or the end of a wait) brings the next decision.
      const queueWake = state.asking && !state.asking.isAnswered ? undefined : state.queue.nextWake(now);
      const waitWake = nextWaitTimeout(state);
      return queueWake === undefined || waitWake === undefined ? (queueWake ?? waitWake) : Math.min(queueWake, waitWake);
    },

    rederive,
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

function rederive(
  state: SchedulerState,
  cluster: ClusterState,
  basis: Basis,
  context: DecisionContext,
  assumed: readonly AssumedDecision[],
): Decision | undefined {
  if (isActSubject(basis.subject)) return finishAct(cluster, actUid(basis.subject));
  const pod = cluster.byKey('pods', basis.subject);
  if (!pod) return undefined;
  const end = basis.inputs as WaitEnd | undefined;
  if (end?.wait !== undefined) {
    return withAssumed(state, cluster, assumed, () => {
      const outcome = waitOutcome(state, cluster, pod, end, context.now);
      return outcome && afterWait(state, cluster, pod, end.node, outcome, context).decision;
    });
  }
  if (pod.metadata.deletionTimestamp) return skipped(pod);
  return withAssumed(state, cluster, assumed, () => {
    const attempted = attempt(state, pod, { cluster, context, inputs: inputsOf(basis.inputs) });
    return attempted && outcomeDecision(state, cluster, pod, attempted, context, inputsOf(basis.inputs)).decision;
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
  if (!pod || (basis.inputs as WaitEnd | undefined)?.wait !== undefined) return undefined;
  return withAssumed(state, cluster, assumed, () => {
    const attempted = attempt(state, pod, { cluster, context, inputs: inputsOf(basis.inputs), evaluateAll: true });
    return attempted?.kind === 'ended' ? { pod, result: attempted.result } : undefined;
  });
}

/** The plugins that are not ours are part of the behaviour: decisions made with another version of one are not to be compared. */
function behaviourWith(profiles: Profiles, registry: Registry | undefined): string {
  if (!registry || registry.size === 0) return behaviour;
  const own = new Set<string>();
  for (const framework of profiles.bySchedulerName.values()) {
    for (const { name, version = '0' } of framework.all()) if (registry.has(name)) own.add(`${name}@${version}`);
  }
  return [behaviour, ...[...own].sort()].join('+');
}

/** Keys and certificates of extenders decide nothing, and have no place in a log. */
function withoutSecrets(config: JsonObject): JsonObject {
  if (!Array.isArray(config.extenders)) return config;
  const extenders = config.extenders.map((extender): Json => {
    if (!isObject(extender) || extender.tlsConfig === undefined) return extender;
    const { tlsConfig: _secret, ...rest } = extender;
    return rest;
  });
  return { ...config, extenders };
}
