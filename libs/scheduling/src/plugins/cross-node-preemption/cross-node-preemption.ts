import type { CycleState } from '../../framework/cycle-state';
import type { Diagnosis } from '../../framework/diagnosis';
import type { ClusterEventWithHint } from '../../framework/events';
import type { FilterRunner, PostFilterPlugin, PostFilterResult, PreemptionCandidate, PreemptionOutcome } from '../../framework/interface';
import { nominatedNode } from '../../framework/kube-types';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { unschedulable } from '../../framework/status';
import { isTerminatingByPreemption } from '../../preemption/evaluator';
import { pickNodes } from '../../preemption/pick-one-node';
import { RemoteObstacles } from './remote-obstacles';
import { FilterRuns, VictimsAcrossNodes } from './victims-across-nodes';

const name = 'CrossNodePreemption';

/** What bounds the search. */
export interface CrossNodePreemptionArgs {
  /** Nodes that are tried for the pod, from a random one on. */
  maxNodes: number;
  /** A node that takes more victims than this is no candidate. */
  maxVictims: number;
  /** Filter runs in one attempt, over all nodes: combinations of victims that are tried. */
  maxCombinations: number;
}

export const crossNodePreemptionArgs: CrossNodePreemptionArgs = { maxNodes: 100, maxVictims: 10, maxCombinations: 5_000 };

const noOutcome = { potentialNodes: [], candidates: [], best: [], nominationsToClear: [] } as const;

/**
 * Beyond upstream, and off unless enabled: makes a node feasible by removing pods of lower priority on other nodes of its zone (or
 * any other domain), where it is they that keep the pod away. Chooses by upstream's criteria. Comes after DefaultPreemption, so
 * only where no single node's pods are enough.
 */
export class CrossNodePreemption implements PostFilterPlugin {
  readonly name = name;
  private readonly args: CrossNodePreemptionArgs;

  constructor(args: Partial<CrossNodePreemptionArgs> = {}) {
    this.args = { ...crossNodePreemptionArgs, ...args };
  }

  postFilter(state: CycleState, pod: PodInfo, diagnosis: Diagnosis, framework: FilterRunner): PostFilterResult {
    const obstacle = ineligibility(state, pod);
    // What is known of DefaultPreemption's own search stays: an earlier nomination is left alone while victims terminate.
    if (obstacle !== undefined)
      return { status: refusal(obstacle), preemption: { isEligible: false, rejections: new Map(), ...noOutcome } };
    const obstacles = new RemoteObstacles(state, pod);
    if (obstacles.isEmpty) return { status: refusal('no pod on another node is in the way') };
    const potential = diagnosis.nodesWithCode('Unschedulable', state.cycle.snapshot.nodes);
    const { candidates, rejections } = this.search(state, pod, potential, obstacles, framework);
    const outcome = { isEligible: true, ...noOutcome, potentialNodes: potential.map((node) => node.name), candidates, rejections };
    if (candidates.length === 0)
      return { status: refusal(`no candidate among ${rejections.size} of ${potential.length} nodes tried`), preemption: outcome };
    return chosenOf(state, pod, outcome);
  }

  /** Nothing of its own to wait for: it makes a pod wait for what the filters wait for. */
  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [];
  }

  private search(
    state: CycleState,
    pod: PodInfo,
    potential: readonly NodeInfo[],
    obstacles: RemoteObstacles,
    framework: FilterRunner,
  ): { candidates: PreemptionCandidate[]; rejections: Map<string, Status> } {
    const candidates: PreemptionCandidate[] = [];
    const rejections = new Map<string, Status>();
    const runs = new FilterRuns(this.args.maxCombinations);
    const offset = potential.length > 0 ? state.cycle.chance(potential.length) : 0;
    for (let i = 0; i < Math.min(potential.length, this.args.maxNodes) && !runs.areUsedUp; i++) {
      const node = potential[(offset + i) % potential.length] as NodeInfo;
      const victims = new VictimsAcrossNodes(framework, state, pod, node, obstacles.of(node), runs).select();
      if ('code' in victims) rejections.set(node.name, victims);
      else if (victims.pods.length > this.args.maxVictims) {
        rejections.set(node.name, unschedulable(name, `takes ${victims.pods.length} victims, more than ${this.args.maxVictims}`));
      } else if (victims.pods.length > 0) {
        candidates.push({ node: node.name, victims: victims.pods, pdbViolationCount: victims.pdbViolationCount });
      }
    }
    return { candidates, rejections };
  }
}

function chosenOf(state: CycleState, pod: PodInfo, outcome: PreemptionOutcome): PostFilterResult {
  const { cycle } = state;
  const { best, decidedBy } = pickNodes(outcome.candidates, cycle.now);
  const chosen = best[best.length > 1 ? cycle.chance(best.length) : 0] as PreemptionCandidate;
  const nominationsToClear = cycle.nominated.on(chosen.node).filter((other) => other.priority < pod.priority);
  return {
    status: undefined,
    nominatedNodeName: chosen.node,
    preemption: { ...outcome, best: best.map((candidate) => candidate.node), chosen, decidedBy, nominationsToClear },
  };
}

/** By its policy, or because victims of its, wherever they are, may still be terminating. */
function ineligibility(state: CycleState, pod: PodInfo): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  if (nominatedNode(pod.pod) === '') return undefined;
  for (const node of state.cycle.snapshot.nodes) {
    for (const other of node.pods) {
      if (other.terminating && other.priority < pod.priority && isTerminatingByPreemption(other))
        return 'not eligible due to a terminating pod on another node.';
    }
  }
  return undefined;
}

function refusal(message: string): Status {
  return unschedulable(name, `cross-node preemption: ${message}`);
}
