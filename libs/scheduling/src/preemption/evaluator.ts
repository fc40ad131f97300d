import type { CycleState } from '../framework/cycle-state';
import type { Diagnosis } from '../framework/diagnosis';
import { availabilityMessage, reasonsHistogram } from '../framework/diagnosis';
import type { FilterRunner, PostFilterResult, PreemptionCandidate, PreemptionOutcome } from '../framework/interface';
import { nominatedNode, podStatus } from '../framework/kube-types';
import type { NodeInfo } from '../framework/node-info';
import type { PodInfo } from '../framework/pod-info';
import type { Status } from '../framework/status';
import { pickNodes } from './pick-one-node';
import { RememberedVictims } from './remembered-victims';

export interface PreemptionArgs {
  /** How many nodes to dry-run: this part of those that might help, in percent … */
  minCandidateNodesPercentage: number;
  /** … but at least this many. */
  minCandidateNodesAbsolute: number;
}

const notHelpful: Status = { code: 'UnschedulableAndUnresolvable', reasons: ['Preemption is not helpful for scheduling'] };
const noOutcome = { potentialNodes: [], candidates: [], rejections: new Map<string, Status>(), best: [], nominationsToClear: [] } as const;

/** Finds the node where the pod can be given room at the least cost (upstream preemption Evaluator). Decides; evicts nobody. */
export class PreemptionEvaluator {
  constructor(
    private readonly pluginName: string,
    private readonly args: PreemptionArgs,
  ) {}

  preempt(state: CycleState, pod: PodInfo, diagnosis: Diagnosis, framework: FilterRunner): PostFilterResult {
    const obstacle = ineligibility(state, pod, diagnosis);
    if (obstacle !== undefined) return { status: this.refusal(obstacle), preemption: { isEligible: false, ...noOutcome } };
    const { nodes } = state.cycle.snapshot;
    const potential = diagnosis.nodesWithCode('Unschedulable', nodes);
    const dryRun = this.dryRun(state, pod, potential, framework);
    const outcome = { isEligible: true, ...noOutcome, potentialNodes: potential.map((node) => node.name), ...dryRun };
    if (dryRun.candidates.length === 0) return this.withoutCandidates(outcome, nodes.length);
    const candidates = state.cycle.preemptionExtenders?.process(pod, dryRun.candidates) ?? dryRun.candidates;
    if (!isCandidates(candidates)) return { status: candidates, preemption: outcome };
    if (candidates.length === 0) return { status: this.refusal('no candidate node for preemption'), preemption: outcome };

    const { best, decidedBy } = pickNodes(candidates, state.cycle.now);
    const chosen = best[best.length > 1 ? state.cycle.chance(best.length) : 0] as PreemptionCandidate;
    const nominationsToClear = state.cycle.nominated.on(chosen.node).filter((other) => other.priority < pod.priority);
    return {
      status: undefined,
      nominatedNodeName: chosen.node,
      preemption: { ...outcome, candidates, best: best.map((candidate) => candidate.node), chosen, decidedBy, nominationsToClear },
    };
  }

  /** The nomination is cleared: no node could be won. */
  private withoutCandidates(outcome: PreemptionOutcome, nodeCount: number): PostFilterResult {
    const errors = [...outcome.rejections.values()].filter((status) => status.code === 'Error');
    if (errors.length > 0)
      return {
        status: { code: 'Error', reasons: errors.map((status) => status.reasons.join(', ')), plugin: this.pluginName },
        preemption: outcome,
      };
    const rejections = [...outcome.rejections.values()].map((status) => ({ status, count: 1 }));
    const reasons = reasonsHistogram(rejections, { status: notHelpful, count: nodeCount - rejections.length });
    return { status: this.refusal(availabilityMessage(nodeCount, reasons)), nominatedNodeName: '', preemption: outcome };
  }

  /** From a random start, until enough candidates are found of which at least one violates no budget. */
  private dryRun(
    state: CycleState,
    pod: PodInfo,
    potential: readonly NodeInfo[],
    framework: FilterRunner,
  ): { candidates: PreemptionCandidate[]; rejections: Map<string, Status> } {
    const violating: PreemptionCandidate[] = [];
    const nonViolating: PreemptionCandidate[] = [];
    const rejections = new Map<string, Status>();
    const wanted = this.candidateCount(potential.length);
    const offset = potential.length > 0 ? state.cycle.chance(potential.length) : 0;
    const memo = new RememberedVictims(framework, state, pod);
    for (let i = 0; i < potential.length; i++) {
      if (nonViolating.length > 0 && nonViolating.length + violating.length >= wanted) break;
      const node = potential[(offset + i) % potential.length] as NodeInfo;
      const victims = memo.select(node);
      if ('code' in victims) {
        rejections.set(node.name, victims);
      } else if (victims.pods.length === 0) {
        rejections.set(node.name, { code: 'Error', reasons: [`expected at least one victim pod on node "${node.name}"`] });
      } else {
        const list = victims.pdbViolationCount === 0 ? nonViolating : violating;
        list.push({ node: node.name, victims: victims.pods, pdbViolationCount: victims.pdbViolationCount });
      }
    }
    return { candidates: [...nonViolating, ...violating], rejections };
  }

  private candidateCount(nodeCount: number): number {
    const share = Math.trunc((nodeCount * this.args.minCandidateNodesPercentage) / 100);
    return Math.min(nodeCount, Math.max(share, this.args.minCandidateNodesAbsolute));
  }

  private refusal(message: string): Status {
    return { code: 'Unschedulable', reasons: [`preemption: ${message}`], plugin: this.pluginName };
  }
}

function isCandidates(value: readonly PreemptionCandidate[] | Status): value is readonly PreemptionCandidate[] {
  return Array.isArray(value);
}

/** Why the pod may not preempt: by its policy, or because a victim of its on the nominated node is still terminating. */
function ineligibility(state: CycleState, pod: PodInfo, diagnosis: Diagnosis): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = nominatedNode(pod.pod);
  if (nominated === '' || diagnosis.statusOf(nominated).code === 'UnschedulableAndUnresolvable') return undefined;
  const node = state.cycle.snapshot.get(nominated);
  const isWaiting = node?.pods.some((other) => other.priority < pod.priority && isTerminatingByPreemption(other));
  return isWaiting ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

/** Whether the pod is going because a scheduler has preempted it (condition DisruptionTarget). */
export function isTerminatingByPreemption(pod: PodInfo): boolean {
  if (!pod.terminating) return false;
  const condition = podStatus(pod.pod).conditions?.find(({ type }) => type === 'DisruptionTarget');
  return condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}
