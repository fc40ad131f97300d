import type { CycleState } from '../../framework/cycle-state';
import type { FilterRunner } from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { splitByBudgets } from '../../preemption/budgets';
import type { Victims } from '../../preemption/victims';
import { compareImportance } from '../../preemption/victims';
import type { PlacedPod } from './remote-obstacles';

const noVictims: Status = { code: 'UnschedulableAndUnresolvable', reasons: ['No preemption victims found for incoming pod'] };

const outOfRuns: Status = { code: 'Unschedulable', reasons: ['the search came to its bound (maxCombinations)'] };

/** How often pods may be tried against the filters in one attempt. */
export class FilterRuns {
  constructor(private left: number) {}

  get areUsedUp(): boolean {
    return this.left <= 0;
  }

  use(): void {
    this.left--;
  }
}

/**
 * As `selectVictimsOnNode`, with victims on other nodes too: the node's own pods of lower priority and the obstacles elsewhere are taken
 * off, and if the pod then fits they are given back one by one, the most important first. Deterministic: pods that are
 * equal in importance are taken by name.
 */
export class VictimsAcrossNodes {
  private readonly node: NodeInfo;
  private readonly state: CycleState;
  private readonly nodeOf: ReadonlyMap<PodInfo, NodeInfo>;

  constructor(
    private readonly framework: FilterRunner,
    state: CycleState,
    private readonly preemptor: PodInfo,
    private readonly original: NodeInfo,
    remote: readonly PlacedPod[],
    private readonly runs: FilterRuns,
  ) {
    this.state = state.clone();
    this.node = original.clone();
    const own = original.pods.filter((pod) => pod.priority < preemptor.priority).map((pod): [PodInfo, NodeInfo] => [pod, original]);
    this.nodeOf = new Map([...own, ...remote.map(({ pod, node }): [PodInfo, NodeInfo] => [pod, node])]);
  }

  select(): Victims | Status {
    const lower = [...this.nodeOf.keys()];
    if (lower.length === 0) return noVictims;
    for (const pod of lower) {
      const failure = this.remove(pod);
      if (failure !== undefined) return failure;
    }
    const refusal = this.filter();
    if (refusal !== undefined) return refusal;
    const { now, snapshot } = this.state.cycle;
    lower.sort((a, b) => compareImportance(a, b, now) || (a.key < b.key ? -1 : 1));
    const { violating, nonViolating } = splitByBudgets(lower, snapshot.listers.table('poddisruptionbudgets'));
    const victims: PodInfo[] = [];
    let pdbViolationCount = 0;
    for (const pod of [...violating, ...nonViolating]) {
      const reprieved = this.reprieve(pod);
      if (typeof reprieved === 'object') return reprieved;
      if (reprieved) continue;
      victims.push(pod);
      if (violating.includes(pod)) pdbViolationCount++;
    }
    victims.sort((a, b) => compareImportance(a, b, now) || (a.key < b.key ? -1 : 1));
    return { pods: victims, pdbViolationCount };
  }

  /** Puts the pod back if the preemptor fits beside it. With no runs left the node is given up: it would lose pods for nothing. */
  private reprieve(pod: PodInfo): boolean | Status {
    if (this.runs.areUsedUp) return outOfRuns;
    const home = this.nodeOf.get(pod) as NodeInfo;
    if (home === this.original) this.node.addPod(pod);
    const failure = this.framework.runAddPod(this.state, this.preemptor, pod, home === this.original ? this.node : home);
    if (failure !== undefined) return failure;
    return this.filter() === undefined ? true : (this.remove(pod) ?? false);
  }

  private remove(pod: PodInfo): Status | undefined {
    const home = this.nodeOf.get(pod) as NodeInfo;
    if (home === this.original) this.node.removePod(pod.uid);
    return this.framework.runRemovePod(this.state, this.preemptor, pod, home === this.original ? this.node : home);
  }

  private filter(): Status | undefined {
    this.runs.use();
    return this.framework.runFiltersWithNominatedPods(this.state, this.preemptor, this.node);
  }
}
