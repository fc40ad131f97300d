// The scheduling cycle, read downwards (upstream schedule_one.go: NextPod, ScheduleOne, schedulingCycle, assume). The functions down to
// `attemptDecision` look and decide; those behind it put into the state what came of that.
import type { ClusterState } from '#libs/cluster-state';
import type { DecisionContext } from '#libs/control-loop';
import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import {
  podInfoOf,
  prepareBinding,
  schedulePod,
  type AttemptResult,
  type ExtenderCall,
  type PreparedBinding,
  type QueuedPodInfo,
} from '#libs/scheduling';
import { bindingCycle } from './binding-cycle';
import { Draws, answerIn, dialogueOf, extenderAsked, mayAskAgain } from './extender-dialogue';
import { lookAtHeldPodsAgain, takeOff } from './flights';
import { countFailure, handleSchedulingFailure } from './handle-scheduling-failure';
import { callsOf, framed, subjectOf, type Decided } from './outcome';
import type { AttemptInputs, Failure, SchedulerState } from './scheduler-state';

/** A pod that can be decided on now, and what its attempt is made with. */
export interface NextPod {
  queued: QueuedPodInfo;
  inputs: AttemptInputs;
}

/** The pod whose extender has answered; nobody while one is thinking; else the head of the queue (upstream NextPod). */
export function nextPod({ asking, queue, nextStartNodeIndex }: SchedulerState): NextPod | undefined {
  if (asking) return asking.isAnswered ? asking : undefined;
  const head = queue.peek();
  return head && { queued: head.pod, inputs: { start: nextStartNodeIndex, poppedFrom: head.poppedFrom } };
}

/** One attempt as a decision. Undefined: the pod is no longer to be scheduled, and nothing is said of it. */
export function scheduleOne(
  state: SchedulerState,
  cluster: ClusterState,
  { queued, inputs }: NextPod,
  context: DecisionContext,
): Decided | undefined {
  const { uid, pod } = queued.info;
  // Upstream skipPodSchedule.
  if (!state.pending.has(uid) || state.cache.isAssumed(uid)) return undefined;
  if (pod.metadata.deletionTimestamp) return skipped(pod);
  const attempted = schedulingCycle(state, pod, { cluster, context, inputs });
  if (!attempted) return undefined;
  return framed(state, attemptDecision(state, cluster, pod, attempted, context, inputs), uid);
}

/** A pod that is going is not scheduled: reported, and forgotten. */
export function skipped(pod: KubeObject): Decided {
  const { namespace = '', name, uid } = pod.metadata;
  const report = fact('Reported', {
    resource: 'pods',
    namespace,
    name,
    uid,
    type: 'Warning',
    reason: 'FailedScheduling',
    message: `skip schedule deleting pod: ${namespace}/${name}`,
    component: pod.spec?.schedulerName ?? 'default-scheduler',
  });
  return { subject: subjectOf(pod), records: [report], steps: [], result: { kind: 'written' } };
}

export interface Attempting {
  cluster: ClusterState;
  context: DecisionContext;
  inputs: AttemptInputs;
}

/** How an attempt ends, or the question that it cannot go on without. */
export type Attempted =
  { kind: 'ended'; result: AttemptResult; prepared?: PreparedBinding } | { kind: 'ask'; call: ExtenderCall; draws: readonly number[] };

/** From snapshot to chosen node, then Reserve, Permit and PreBind. Undefined: no profile is the pod's. */
export function schedulingCycle(state: SchedulerState, pod: KubeObject, { cluster, context, inputs }: Attempting): Attempted | undefined {
  const profile = state.profiles.get(podInfoOf(pod).spec.schedulerName || 'default-scheduler');
  if (!profile) return undefined;
  const { evaluateAll = false } = context;
  const { extenders, percentageOfNodesToScore } = state.profiles.configuration;
  const draws = new Draws(context.chance, inputs.draws ?? []);
  const snapshot = state.cache.snapshot();
  const dialogue = dialogueOf(cluster, pod, inputs.attempt);
  const result = schedulePod(snapshot, pod, {
    profile,
    percentageOfNodesToScore,
    nominated: state.queue.nominator,
    chance: (bound) => draws.next(bound),
    nextStartNodeIndex: inputs.start,
    now: context.now,
    evaluateAll,
    ...(extenders.length === 0 ? {} : { extenders, extenderAnswers: (call: ExtenderCall) => answerIn(dialogue, call, evaluateAll) }),
  });
  if (result.kind === 'ask') {
    if (mayAskAgain(dialogue, extenders.length)) return { kind: 'ask', call: result.call, draws: draws.made };
    return { kind: 'ended', result: tooManyQuestions(result.call, inputs.start) };
  }
  if (result.kind !== 'bound' || evaluateAll || !profile.hasBindingWork(podInfoOf(pod))) return { kind: 'ended', result };
  const prepared = prepareBinding(snapshot, pod, result, profile);
  return prepared.kind === 'prepared' ? { kind: 'ended', result, prepared } : { kind: 'ended', result: prepared };
}

function tooManyQuestions({ url }: ExtenderCall, nextStartNodeIndex: number): AttemptResult {
  return {
    kind: 'error',
    message: `the cluster changed each time the extender at ${url} was asked`,
    reason: 'SchedulerError',
    nextStartNodeIndex,
  };
}

/** What the end of an attempt means in events: a question, a binding, or a failure. */
export function attemptDecision(
  state: SchedulerState,
  cluster: ClusterState,
  pod: KubeObject,
  attempted: Attempted,
  context: DecisionContext,
  inputs: AttemptInputs,
): Decided {
  if (attempted.kind === 'ask') {
    const { call, draws } = attempted;
    const ask = context.decision;
    const attempt = inputs.attempt ?? ask;
    const records = [extenderAsked(pod, call, ask, attempt)];
    const result = { kind: 'asks', inputs: { ...inputs, attempt, draws } } as const;
    return { subject: subjectOf(pod), records, steps: [], ...callsOf(call, ask), result };
  }
  const { result, prepared } = attempted;
  const decision =
    result.kind === 'bound'
      ? bindingCycle(state, pod, result.node, prepared, context)
      : handleSchedulingFailure(state, cluster, pod, result, context.decision);
  const { nextStartNodeIndex } = result;
  const explained = context.evaluateAll ? { attempt: result } : {};
  return { ...decision, result: { ...decision.result, nextStartNodeIndex, ...explained } };
}

/** What came of the next pod's turn: it is popped, and what was decided counts at once. */
export function podDecided(state: SchedulerState, { queued }: NextPod, decision: Decided | undefined, context: DecisionContext): void {
  const { uid, pod } = queued.info;
  if (state.asking) state.asking = undefined;
  else state.queue.pop(context.now);
  const outcome = decision?.result;
  if (!outcome || outcome.kind === 'written') {
    state.queue.done(uid);
  } else if (outcome.kind === 'asks') {
    const { ordinal, decision: ask } = context;
    state.asking = { queued, ask, ordinal, inputs: outcome.inputs, isAnswered: false };
    state.underWay.set(ordinal, undefined);
  } else {
    const { result, waiting } = outcome;
    state.nextStartNodeIndex = outcome.nextStartNodeIndex ?? state.nextStartNodeIndex;
    if (result.kind === 'bound') assume(state, pod, result.node);
    else countFailure(state, pod, result);
    takeOff(state, { ordinal: context.ordinal, uid, queued, result, isOver: false, waiting, isToBeLookedAt: false });
  }
}

/** The pod counts on its node before the log shows the binding. */
export function assume(state: SchedulerState, pod: KubeObject, node: string): void {
  state.cache.assumePod(pod, node);
  state.queue.nominator.delete(pod.metadata.uid);
  lookAtHeldPodsAgain(state);
}

/** The question could not be recorded, so it is not asked: the attempt has failed. */
export function abandonQuestion(state: SchedulerState, now: number): void {
  const { asking, queue } = state;
  if (!asking) return;
  state.asking = undefined;
  const { queued } = asking;
  const pod = state.pending.get(queued.info.uid);
  const message = 'the question to an extender was not recorded';
  const failure: Failure = { kind: 'error', message, reason: 'SchedulerError', nextStartNodeIndex: state.nextStartNodeIndex };
  if (pod) queue.addUnschedulable(queued, failure, now, pod);
  else queue.done(queued.info.uid);
}
