import type { CycleState } from '../framework/cycle-state';
import type { FilterRunner } from '../framework/interface';
import type { NodeInfo } from '../framework/node-info';
import type { PodInfo } from '../framework/pod-info';
import type { Status } from '../framework/status';
import { splitByBudgets } from './budgets';

export interface Victims {
  /** The most important first. */
  readonly pods: readonly PodInfo[];
  readonly pdbViolationCount: number;
}

const noVictims: Status = { code: 'UnschedulableAndUnresolvable', reasons: ['No preemption victims found for incoming pod'] };

/** Higher priority first, then the one that started earlier; a pod that has not started counts as starting now. */
export function compareImportance(a: PodInfo, b: PodInfo, now: number): number {
  return b.priority - a.priority || (a.startTime ?? now) - (b.startTime ?? now);
}

/**
 * The victims that would make room for the pod on this node: all pods of lower priority are taken off, and if the pod then fits they
 * are given back one by one, the most important first, those protected by budgets before the rest; what does not fit any more
 * is a victim. Not the fewest possible, but the least important. State and node are copies, and are changed.
 */
export function selectVictimsOnNode(framework: FilterRunner, state: CycleState, preemptor: PodInfo, node: NodeInfo): Victims | Status {
  const lower = node.pods.filter((pod) => pod.priority < preemptor.priority);
  if (lower.length === 0) return noVictims;
  for (const pod of lower) {
    const failure = remove(framework, state, preemptor, pod, node);
    if (failure !== undefined) return failure;
  }
  const refusal = framework.runFiltersWithNominatedPods(state, preemptor, node);
  if (refusal !== undefined) return refusal;

  const now = state.cycle.now;
  sortByImportance(lower, now);
  const { violating, nonViolating } = splitByBudgets(lower, state.cycle.snapshot.listers.table('poddisruptionbudgets'));
  const victims: PodInfo[] = [];
  let pdbViolationCount = 0;
  for (const [group, isViolating] of [
    [violating, true],
    [nonViolating, false],
  ] as const) {
    for (const pod of group) {
      const reprieved = reprieve(framework, state, preemptor, pod, node);
      if (typeof reprieved === 'object') return reprieved;
      if (reprieved) continue;
      victims.push(pod);
      if (isViolating) pdbViolationCount++;
    }
  }
  if (violating.length > 0 && nonViolating.length > 0) sortByImportance(victims, now);
  return { pods: victims, pdbViolationCount };
}

/**
 * The most important first; equal ones in the order of the node's pods. Of equal pods that have not started that order is turned
 * about: upstream reads the clock anew for each side of a comparison, so that "earlier than" holds whichever way round, and its
 * insertion sort reverses such pods.
 */
function sortByImportance(pods: PodInfo[], now: number): void {
  const places = new Map(pods.map((pod, index) => [pod, index]));
  const place = (pod: PodInfo): number => places.get(pod) as number;
  pods.sort((a, b) => compareImportance(a, b, now) || (a.startTime === undefined && b.startTime === undefined ? place(b) - place(a) : 0));
}

/** Puts the pod back if the preemptor fits beside it. */
function reprieve(framework: FilterRunner, state: CycleState, preemptor: PodInfo, pod: PodInfo, node: NodeInfo): boolean | Status {
  node.addPod(pod);
  const failure = framework.runAddPod(state, preemptor, pod, node);
  if (failure !== undefined) return failure;
  if (framework.runFiltersWithNominatedPods(state, preemptor, node) === undefined) return true;
  return remove(framework, state, preemptor, pod, node) ?? false;
}

function remove(framework: FilterRunner, state: CycleState, preemptor: PodInfo, pod: PodInfo, node: NodeInfo): Status | undefined {
  node.removePod(pod.uid);
  return framework.runRemovePod(state, preemptor, pod, node);
}
