// What becomes of a pod that found no node, read downwards (upstream schedule_one.go: handleSchedulingFailure). The functions down to `objectWrite` decide; those behind it put into the state what came of that.
import type { AttemptRecord, ClusterState } from '#libs/cluster-state';
import type { Step } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { derivedId, type JsonObject, type KubeObject } from '#libs/kernel';
import { podGracePeriod } from '#libs/kube-api';
import { podInfoOf, type ObjectWrite, type UnschedulableResult } from '#libs/scheduling';
import { endFlight, lookAtHeldPodsAgain } from './flights';
import { subjectOf, type Decided, type Ended } from './outcome';
import { prepareCandidate, recordStep } from './prepare-candidate';
import type { Failure, Flight, SchedulerState } from './scheduler-state';

/**
 * The attempt is recorded, the pod's condition and nomination are written, and room that is to be made for it is made.
 * @param decision its name
 */
export function handleSchedulingFailure(
  state: SchedulerState,
  cluster: ClusterState,
  pod: KubeObject,
  result: Failure,
  decision: string,
): Decided<Ended> {
  const last = cluster.decisions.attempts.get(pod.metadata.uid);
  if (result.kind === 'unschedulable') return unschedulable(pod, result, { state, cluster, act: actIdOf(decision), last });
  const facts = [fact('PodSchedulingFailed', { reason: result.reason, message: result.message }), ...nominationFacts(pod, '')];
  return {
    subject: subjectOf(pod),
    records: [attempted(pod, { outcome: 'error', message: result.message, nomination: '' }, last)],
    steps: [recordStep(pod, 'status', facts)],
    result: { kind: 'ended', result },
  };
}

/** Names the act in the victims' events before the log has given it an id. */
function actIdOf(decision: string): string {
  return derivedId(`act/${decision}`);
}

interface FailureContext {
  state: SchedulerState;
  cluster: ClusterState;
  act: string;
  last: AttemptRecord | undefined;
}

function unschedulable(pod: KubeObject, result: UnschedulableResult, { state, cluster, act, last }: FailureContext): Decided<Ended> {
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
  const steps: Step[] = [recordStep(pod, 'status', facts), ...(result.postFilter?.writes ?? []).map(objectWrite)];
  if (preemption?.chosen) {
    const room = prepareCandidate(state, cluster, pod, { ...preemption, chosen: preemption.chosen }, act);
    records.push(...room.records);
    steps.push(...room.steps);
  }
  return { subject: subjectOf(pod), records, steps, result: { kind: 'ended', result } };
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

function nominationFacts(pod: KubeObject, node: string): Fact[] {
  if (node !== '') return [fact('PodNominated', { node })];
  return pod.status?.nominatedNodeName ? [fact('PodNominationCleared', {})] : [];
}

const groupOf: Readonly<Record<string, string>> = { resourceclaims: 'resourceclaims.resource.k8s.io' };

/** A plugin's change of another object; a patch of `status` goes to the status subresource. */
export function objectWrite({ resource, namespace, name, patch }: ObjectWrite): Step {
  const target = { resource: groupOf[resource] ?? resource, ...(namespace === '' ? {} : { namespace }), name };
  const subresource = Object.hasOwn(patch, 'status') ? { subresource: 'status' as const } : {};
  return {
    step: `write/${resource}/${namespace}/${name}`,
    request: { verb: 'patch', target, patchType: 'merge', patch: patch as JsonObject, ...subresource },
  };
}

/** Nominations given and taken away count at once, before the log shows them, and so does the room that is made. */
export function countFailure(state: SchedulerState, pod: KubeObject, result: Failure): void {
  const { cache, queue } = state;
  const nomination = result.kind === 'error' ? '' : result.postFilter?.nominatedNodeName;
  if (nomination !== undefined) queue.nominator.add(podInfoOf(pod), nomination);
  if (result.kind === 'error') return;
  const preemption = result.postFilter?.preemption;
  for (const loser of preemption?.nominationsToClear ?? []) queue.nominator.delete(loser.uid);
  for (const victim of preemption?.chosen?.victims ?? []) {
    if (state.held.has(victim.uid)) turnAway(state, victim.uid);
    else if (goesAtOnce(victim.pod)) cache.assumeGone(victim.uid);
  }
}

/**
 * Whether the pod's deletion takes it away without a grace. The room that a preemption makes so counts for the attempts after it, as
 * the preemptor's nomination does. If it came with the fold alone, every attempt until then would find nominated pods and their
 * victims on one node, take further victims or move to another node: how many pods are left would depend on how slow the log is.
 */
export function goesAtOnce(pod: KubeObject): boolean {
  const { deletionTimestamp, finalizers } = pod.metadata;
  return !deletionTimestamp && !finalizers?.length && podGracePeriod(pod, undefined) === 0;
}

/** A victim that a Permit plugin holds back: its wait ends, and it goes back to the queue. */
function turnAway(state: SchedulerState, uid: string): void {
  const waiting = state.flights.get(uid)?.waiting;
  if (waiting?.for === 'permit') waiting.isPreempted = true;
  lookAtHeldPodsAgain(state);
}

/** The log has the failure (or could not take it): the pod waits again. */
export function failureSettled(state: SchedulerState, flight: Flight, result: Failure, now: number): void {
  endFlight(state, flight);
  // Those whose deletion was written have been folded away; a victim that was not deleted counts again.
  if (result.kind === 'unschedulable')
    for (const victim of result.postFilter?.preemption?.chosen?.victims ?? []) state.cache.comeBack(victim.uid);
  requeue(state, flight, result, now);
}

/** Back to the queue, if the pod is still there to be scheduled. */
export function requeue({ pending, queue }: SchedulerState, { uid, queued, isOver }: Flight, result: Failure, now: number): void {
  const pod = pending.get(uid);
  if (isOver || !pod) queue.done(uid);
  else queue.addUnschedulable(queued, result, now, pod);
}
