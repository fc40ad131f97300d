import type { AttemptRecord, ClusterState } from '#libs/cluster-state';
import type { Decision, DecisionContext, Step } from '#libs/control-loop';
import { fact, type Fact, type VictimReference } from '#libs/events';
import { derivedId, type KubeObject } from '#libs/kernel';
import type { AttemptResult, ExtenderCall, PodInfo, PreemptionOutcome, UnschedulableResult } from '#libs/scheduling';
import type { Attempted } from './attempt';
import { bindingOf, bindStep, decisionAfterWait, extenderAsked, objectWrite, type WaitOutcome } from './binding-cycle';
import type { AttemptInputs, BindingWait, SchedulerState } from './scheduler-state';

/** A decision, and what is still to come after it. */
export interface Outcome {
  decision: Decision;
  waiting?: BindingWait;
  /** To be sent, once the decision is recorded. */
  call?: ExtenderCall;
}

/** What an attempt's outcome means in events: the same for a decision taken live and for one made again by `verify`. */
export function outcomeDecision(
  state: SchedulerState,
  cluster: ClusterState,
  pod: KubeObject,
  attempted: Attempted,
  context: DecisionContext,
  inputs: AttemptInputs,
): Outcome {
  const subject = subjectOf(pod);
  if (attempted.kind === 'ask') {
    const { call } = attempted;
    const asked = extenderAsked(pod, call, context.decision, inputs.attempt ?? context.decision);
    return { decision: { subject, records: [asked], steps: [] }, call };
  }
  const { result, prepared } = attempted;
  if (result.kind !== 'bound') return { decision: failureDecision(state, cluster, pod, result, actIdOf(context.decision)) };
  const binding = bindingOf(state, pod, result.node, prepared, context);
  return { decision: decisionAfterWait(subject, binding), waiting: binding.waiting, call: binding.call };
}

/** The same for a pod whose wait before the binding is over. */
export function afterWait(
  state: SchedulerState,
  cluster: ClusterState,
  pod: KubeObject,
  node: string,
  outcome: NonNullable<WaitOutcome>,
  context: DecisionContext,
): Outcome {
  if (outcome.kind === 'failed') {
    return { decision: failureDecision(state, cluster, pod, outcome.result as Failure, actIdOf(context.decision)) };
  }
  if (outcome.isOwnBinder) return { decision: { subject: subjectOf(pod), steps: [bindStep(pod, node)] } };
  const binding = bindingOf(state, pod, node, outcome.prepared, context);
  return { decision: decisionAfterWait(subjectOf(pod), binding), waiting: binding.waiting, call: binding.call };
}

/** Names the act in the victims' events before the log has given it an id. */
function actIdOf(decision: string): string {
  return derivedId(`act/${decision}`);
}

function subjectOf(pod: KubeObject): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

type Failure = Exclude<AttemptResult, { kind: 'bound' }>;

function failureDecision(state: SchedulerState, cluster: ClusterState, pod: KubeObject, result: Failure, act: string): Decision {
  const subject = subjectOf(pod);
  const last = cluster.decisions.attempts.get(pod.metadata.uid);
  if (result.kind === 'error') {
    const facts = [fact('PodSchedulingFailed', { reason: result.reason, message: result.message }), ...nominationFacts(pod, '')];
    return {
      subject,
      records: [attempted(pod, { outcome: 'error', message: result.message, nomination: '' }, last)],
      steps: [record(pod, 'status', facts)],
    };
  }
  return refusal(subject, pod, result, { state, cluster, act, last });
}

interface RefusalContext {
  state: SchedulerState;
  cluster: ClusterState;
  act: string;
  last: AttemptRecord | undefined;
}

function refusal(subject: string, pod: KubeObject, result: UnschedulableResult, { state, cluster, act, last }: RefusalContext): Decision {
  const preemption = result.postFilter?.preemption;
  const chosen = preemption?.chosen;
  const plugins = [...result.unschedulablePlugins].sort();
  const pendingPlugins = [...result.pendingPlugins].sort();
  const nomination = result.postFilter?.nominatedNodeName;
  const outcome = chosen ? 'nominated' : 'unschedulable';
  const records = [attempted(pod, { outcome, message: result.message, plugins, pendingPlugins, node: chosen?.node, nomination }, last)];
  const facts = [
    fact('PodSchedulingFailed', { reason: 'Unschedulable', message: result.message }),
    ...(nomination === undefined ? [] : nominationFacts(pod, nomination)),
  ];
  const steps: Step[] = [record(pod, 'status', facts), ...(result.postFilter?.writes ?? []).map(objectWrite)];
  if (preemption && chosen) {
    const losers = inOrder(preemption.nominationsToClear);
    records.push(preemptionDecided(pod, preemption, losers, act));
    for (const loser of losers) steps.push(record(loser.pod, `loser/${loser.uid}`, [fact('PodNominationCleared', {})]));
    for (const victim of chosen.victims) {
      // One that a Permit plugin holds back has no node to be removed from: it is turned away.
      if (state.held.has(victim.uid)) continue;
      steps.push(disrupt(pod, chosen.node, victim, act));
      // A victim that is going already shows no change, but upstream names it again.
      if (victim.pod.metadata.deletionTimestamp) records.push(namedAgain(pod, chosen.node, victim, cluster));
    }
  }
  return { subject, records, steps };
}

interface Attempt {
  outcome: 'unschedulable' | 'nominated' | 'error' | 'skipped';
  message: string;
  plugins?: string[];
  pendingPlugins?: string[];
  node?: string;
  /** What becomes of the pod's nomination: '' takes it away, undefined leaves it. */
  nomination?: string;
}

function attempted(pod: KubeObject, attempt: Attempt, last: AttemptRecord | undefined): Fact {
  const { namespace = '', name, uid } = pod.metadata;
  const { outcome, message, plugins = [], pendingPlugins = [], node, nomination } = attempt;
  const samePlugins = last && last.plugins.length === plugins.length && last.plugins.every((plugin, index) => plugin === plugins[index]);
  return fact('SchedulingAttempted', {
    namespace,
    pod: name,
    uid,
    outcome,
    ...(last?.message === message ? {} : { message }),
    ...(samePlugins ? {} : { plugins }),
    ...(pendingPlugins.length > 0 ? { pendingPlugins } : {}),
    ...(node ? { node } : {}),
    ...(nomination === '' && nominationFacts(pod, '').length > 0 ? { nominationCleared: true } : {}),
  });
}

/** By name: the order in which nominations came about is nothing that a replay could know. */
function inOrder(pods: readonly PodInfo[]): PodInfo[] {
  const key = ({ pod: { metadata } }: PodInfo): string => `${metadata.namespace}/${metadata.name}`;
  return [...pods].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function preemptionDecided(pod: KubeObject, outcome: PreemptionOutcome, losers: readonly PodInfo[], act: string): Fact {
  const { namespace = '', name, uid } = pod.metadata;
  const chosen = outcome.chosen as NonNullable<PreemptionOutcome['chosen']>;
  return fact('PreemptionDecided', {
    act,
    namespace,
    pod: name,
    uid,
    priority: (pod.spec?.priority as number | undefined) ?? 0,
    node: chosen.node,
    victims: chosen.victims.map(victimReference),
    losers: losers.map(({ pod: loser }) => `${loser.metadata.namespace}/${loser.metadata.name}`),
    budgetViolations: chosen.pdbViolationCount,
    decidedBy: outcome.decidedBy ?? 'single',
  });
}

function victimReference({ pod, uid, priority }: PodInfo): VictimReference {
  return { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name, uid, priority };
}

function nominationFacts(pod: KubeObject, node: string): Fact[] {
  if (node !== '') return [fact('PodNominated', { node })];
  return pod.status?.nominatedNodeName ? [fact('PodNominationCleared', {})] : [];
}

function disrupt(preemptor: KubeObject, node: string, victim: PodInfo, act: string): Step {
  // A victim may be on another node than the one that is won, where that is enabled.
  const home = (victim.pod.spec?.nodeName as string | undefined) ?? node;
  return { step: `victim/${victim.uid}`, request: victimRequest(preemptor, home, victim.pod.metadata, act) };
}

/** The write that a victim gets: the reason, then the deletion with its own grace. */
export function victimRequest(
  preemptor: { metadata: { namespace?: string; name: string; uid: string }; spec?: { schedulerName?: string } },
  node: string,
  victim: { namespace?: string; name: string; uid: string },
  act: string,
): Step['request'] {
  const { namespace = '', name, uid } = preemptor.metadata;
  return {
    verb: 'disrupt',
    target: { resource: 'pods', namespace: victim.namespace, name: victim.name },
    uid: victim.uid,
    mark: fact('PodPreempted', {
      node,
      preemptor: `${namespace}/${name}`,
      preemptorUid: uid,
      act,
      schedulerName: preemptor.spec?.schedulerName ?? 'default-scheduler',
    }),
  };
}

function namedAgain(preemptor: KubeObject, node: string, victim: PodInfo, cluster: ClusterState): Fact {
  const {
    namespace = '',
    name,
    uid,
  } = cluster.byKey('pods', `${victim.pod.metadata.namespace}/${victim.pod.metadata.name}`)?.metadata ?? victim.pod.metadata;
  return fact('Reported', {
    resource: 'pods',
    namespace,
    name,
    uid,
    type: 'Normal',
    reason: 'Preempted',
    message: `Preempted by pod ${preemptor.metadata.uid} on node ${node}`,
    component: preemptor.spec?.schedulerName ?? 'default-scheduler',
  });
}

function record(pod: KubeObject, step: string, facts: Fact[]): Step {
  return { step, request: { verb: 'record', target: targetOf(pod), uid: pod.metadata.uid, facts } };
}

function targetOf(pod: KubeObject): { resource: string; namespace?: string; name: string } {
  return { resource: 'pods', namespace: pod.metadata.namespace, name: pod.metadata.name };
}

/** A pod that is going is not scheduled: reported, and forgotten. */
export function skipped(pod: KubeObject): Decision {
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
  return { subject: `${namespace}/${name}`, records: [report], steps: [] };
}
