import type { KubeObject } from '#libs/kernel';
import { Diagnosis, fitErrorMessage } from './framework/diagnosis';
import type { ObjectWrite } from './framework/interface';
import type { Cycle } from './framework/cycle';
import { NodeInfo } from './framework/node-info';
import { podInfoOf } from './framework/pod-info';
import type { Framework } from './framework/runtime';
import type { Snapshot } from './framework/snapshot';
import type { Status } from './framework/status';
import { isRejected, messageOf, unschedulable } from './framework/status';
import type { BoundResult, ErrorResult, UnschedulableResult } from './attempt-result';

/** A pod that has a node and what has to happen before it may be bound. */
export interface PreparedBinding {
  readonly kind: 'prepared';
  /** Changes of other objects (volumes, claims) to be made first; usually none. */
  readonly writes: readonly ObjectWrite[];
  /** How long Permit plugins hold the pod back at most, and which. */
  readonly permitWaitMs?: number;
  readonly waitingFor: readonly string[];
}

/** Reserve, Permit and PreBind of a chosen node. A refusal is an ordinary one, of one node: `0/1 nodes are available: …`. */
export function prepareBinding(
  snapshot: Snapshot,
  pod: KubeObject,
  bound: Pick<BoundResult, 'node' | 'state' | 'evaluatedCount' | 'nextStartNodeIndex'>,
  profile: Framework,
): PreparedBinding | UnschedulableResult | ErrorResult {
  const info = podInfoOf(pod);
  const node = snapshot.get(bound.node);
  const failure = (message: string): ErrorResult => ({
    kind: 'error',
    message,
    reason: 'SchedulerError',
    nextStartNodeIndex: bound.nextStartNodeIndex,
  });
  if (node === undefined) return failure(`node "${bound.node}" not found`);
  const reserved = profile.runReserve(bound.state, info, node);
  const permit = reserved === undefined ? profile.runPermit(bound.state, info, node) : { status: reserved, waitingFor: [] };
  const preBind = permit.status === undefined ? profile.runPreBind(bound.state, info, node) : { status: permit.status, writes: [] };
  if (preBind.status === undefined)
    return { kind: 'prepared', writes: preBind.writes, permitWaitMs: permit.waitMs, waitingFor: permit.waitingFor };
  profile.runUnreserve(bound.state, info, node);
  return isRejected(preBind.status) ? refusal(preBind.status, node, bound) : failure(messageOf(preBind.status));
}

/**
 * Reserve, Permit and PreBind of a pod whose node was chosen in an earlier attempt: a Permit plugin may let it go by now.
 */
export function prepareBindingAgain(
  pod: KubeObject,
  nodeName: string,
  cycle: Cycle,
  profile: Framework,
): PreparedBinding | UnschedulableResult | ErrorResult {
  const state = profile.newState(cycle);
  const { status } = profile.runPreFilter(state, podInfoOf(pod));
  const bound = { node: nodeName, state, evaluatedCount: 0, nextStartNodeIndex: 0 };
  if (status === undefined || isRejected(status)) return prepareBinding(cycle.snapshot, pod, bound, profile);
  return { kind: 'error', message: messageOf(status), reason: 'SchedulerError', nextStartNodeIndex: 0 };
}

/** A Permit plugin did not let the pod go in time. `waited` as Go writes durations: `15m0s`. */
export function permitTimedOut(nodeName: string, plugin: string, waited: string): UnschedulableResult {
  return refusedOnNode(nodeName, unschedulable(plugin, `rejected due to timeout after waiting ${waited} at plugin ${plugin}`));
}

/** A pod that a Permit plugin holds back is a victim of preemption: it goes back to the queue. */
export function preemptedAtPermit(nodeName: string, plugin: string): UnschedulableResult {
  return refusedOnNode(nodeName, unschedulable(plugin, 'preempted'));
}

function refusedOnNode(nodeName: string, status: Status): UnschedulableResult {
  return refusal(status, new NodeInfo(nodeName), { evaluatedCount: 0, nextStartNodeIndex: 0 });
}

function refusal(status: Status, node: NodeInfo, bound: Pick<BoundResult, 'evaluatedCount' | 'nextStartNodeIndex'>): UnschedulableResult {
  const diagnosis = new Diagnosis();
  diagnosis.record(node, status);
  return {
    kind: 'unschedulable',
    message: fitErrorMessage(diagnosis, 1),
    unschedulablePlugins: diagnosis.unschedulablePlugins,
    pendingPlugins: diagnosis.pendingPlugins,
    // An earlier nomination does not outlive a failed binding.
    postFilter: { code: 'Unschedulable', message: '', nominatedNodeName: '', writes: [] },
    nodeCount: 1,
    evaluatedCount: bound.evaluatedCount,
    feasible: [],
    diagnosis,
    nextStartNodeIndex: bound.nextStartNodeIndex,
  };
}
