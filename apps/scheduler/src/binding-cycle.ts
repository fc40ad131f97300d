import type { ClusterState } from '#libs/cluster-state';
import type { Decision, Step } from '#libs/control-loop';
import { fact, jsonDigest, type Fact } from '#libs/events';
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import {
  bindCall,
  bindError,
  permitTimedOut,
  podInfoOf,
  preemptedAtPermit,
  prepareBindingAgain,
  type AttemptResult,
  type ExtenderAnswer,
  type ExtenderCall,
  type PreparedBinding,
} from '#libs/scheduling';
import { goDuration } from './go-duration';
import type { BindingWait, SchedulerState } from './scheduler-state';

/** What is done for a pod that has a node, and what it then waits for. */
export interface Binding {
  records: Fact[];
  steps: Step[];
  sequential?: boolean;
  waiting?: BindingWait;
  call?: ExtenderCall;
}

/** Names and time of the decision that does it. */
export interface BindingContext {
  decision: string;
  now: number;
}

/**
 * From the chosen node to the binding: held back by Permit plugins, or volumes and claims written and then bound, by an extender
 * where one binds such pods. (What is written for volumes is not waited for: simulated volumes are there at once.)
 */
export function bindingOf(
  state: SchedulerState,
  pod: KubeObject,
  node: string,
  prepared: PreparedBinding | undefined,
  context: BindingContext,
): Binding {
  const { namespace = '', name, uid } = pod.metadata;
  const about = { namespace, pod: name, uid };
  if (prepared && prepared.waitingFor.length > 0) {
    const waitMs = prepared.permitWaitMs ?? 0;
    const until = context.now + waitMs;
    const plugins = [...prepared.waitingFor];
    const waiting: BindingWait = { for: 'permit', node, until, waitMs, plugin: plugins[0] as string, isPreempted: false };
    return { records: [fact('PodHeldAtPermit', { ...about, node, plugins, until })], steps: [], waiting };
  }
  const writes = (prepared?.writes ?? []).map(objectWrite);
  const call = bindCall(state.profiles.configuration.extenders, pod, node);
  if (!call) return { records: [], steps: [...writes, bindStep(pod, node)], ...(writes.length > 0 ? { sequential: true } : {}) };
  const ask = context.decision;
  return {
    records: [extenderAsked(pod, call, ask, ask, node)],
    steps: writes,
    waiting: { for: 'extender', node, ask, isBound: false },
    call,
  };
}

export function extenderAsked(pod: KubeObject, call: ExtenderCall, ask: string, attempt: string, node?: string): Fact {
  const { namespace = '', name, uid } = pod.metadata;
  const { extender, verb, url, body } = call;
  const question = jsonDigest(body);
  return fact('ExtenderAsked', {
    ask,
    attempt,
    namespace,
    pod: name,
    uid,
    extender,
    verb,
    url,
    question,
    ...(node === undefined ? {} : { node }),
  });
}

/** How the waiting ends, as the basis of the decision that ends it has it. */
export type WaitEnd =
  | { wait: 'permit'; node: string }
  | { wait: 'preempted'; node: string }
  | { wait: 'timeout'; node: string; plugin: string; waitMs: number }
  | { wait: 'extender'; node: string; ask: string };

export type WaitOutcome =
  { kind: 'bind'; prepared?: PreparedBinding; isOwnBinder: boolean } | { kind: 'failed'; result: AttemptResult } | undefined;

export function waitEnd(waiting: BindingWait, now: number): WaitEnd {
  const { node } = waiting;
  if (waiting.for === 'extender') return { wait: 'extender', node, ask: waiting.ask };
  if (waiting.isPreempted) return { wait: 'preempted', node };
  if (now >= waiting.until) return { wait: 'timeout', node, plugin: waiting.plugin, waitMs: waiting.waitMs };
  return { wait: 'permit', node };
}

/** What has become of the wait: from the state (the pod assumed) and what is recorded. Undefined: it goes on, or its end needs no decision. */
export function waitOutcome(state: SchedulerState, cluster: ClusterState, pod: KubeObject, end: WaitEnd, now: number): WaitOutcome {
  if (end.wait === 'preempted') return { kind: 'failed', result: preemptedAtPermit(end.node, 'DefaultPreemption') };
  if (end.wait === 'timeout') return { kind: 'failed', result: permitTimedOut(end.node, end.plugin, goDuration(end.waitMs)) };
  if (end.wait === 'extender') return extenderOutcome(state, cluster, pod, end.ask);
  const profile = state.profiles.get(podInfoOf(pod).spec.schedulerName || 'default-scheduler');
  if (!profile) return undefined;
  const cycle = { snapshot: state.cache.snapshot(), nominated: state.queue.nominator, now, chance: () => 0 };
  const prepared = prepareBindingAgain(pod, end.node, cycle, profile);
  if (prepared.kind !== 'prepared') return { kind: 'failed', result: prepared };
  return prepared.waitingFor.length > 0 ? undefined : { kind: 'bind', prepared, isOwnBinder: false };
}

function extenderOutcome(state: SchedulerState, cluster: ClusterState, pod: KubeObject, ask: string): WaitOutcome {
  const question = cluster.decisions.dialogues.get(pod.metadata.uid)?.questions.get(ask);
  if (question?.answer === undefined) return undefined;
  const message = bindError(question.answer as unknown as ExtenderAnswer);
  if (message === undefined) return undefined;
  if (state.profiles.configuration.extenders[question.extender]?.ignorable) return { kind: 'bind', isOwnBinder: true };
  return { kind: 'failed', result: { kind: 'error', message, reason: 'SchedulerError', nextStartNodeIndex: state.nextStartNodeIndex } };
}

export function bindStep(pod: KubeObject, node: string): Step {
  const { namespace = '', name, uid } = pod.metadata;
  const refusal = fact('BindingRefused', { namespace, pod: name, uid, node });
  return { step: 'bind', request: { verb: 'bind', target: { resource: 'pods', namespace, name }, node, uid }, refusal };
}

const groupOf: Readonly<Record<string, string>> = { resourceclaims: 'resourceclaims.resource.k8s.io' };

/** A plugin's change of another object; a patch of `status` goes to the status subresource. */
export function objectWrite({
  resource,
  namespace,
  name,
  patch,
}: {
  resource: string;
  namespace: string;
  name: string;
  patch: object;
}): Step {
  const target = { resource: groupOf[resource] ?? resource, ...(namespace === '' ? {} : { namespace }), name };
  const subresource = Object.hasOwn(patch, 'status') ? { subresource: 'status' as const } : {};
  return {
    step: `write/${resource}/${namespace}/${name}`,
    request: { verb: 'patch', target, patchType: 'merge', patch: patch as JsonObject as Json, ...subresource },
  };
}

/** The decision that follows a wait, whether live or made again. */
export function decisionAfterWait(subject: string, { records, steps, sequential }: Binding): Decision {
  return { subject, ...(records.length > 0 ? { records } : {}), steps, ...(sequential ? { sequential } : {}) };
}
