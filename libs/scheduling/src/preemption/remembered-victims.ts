import type { CycleState } from '../framework/cycle-state';
import type { FilterRunner } from '../framework/interface';
import type { NodeMemo } from '../framework/memo/memos';
import { shapeOf } from '../framework/memo/shape';
import type { NodeInfo } from '../framework/node-info';
import type { PodInfo } from '../framework/pod-info';
import type { Status } from '../framework/status';
import type { Victims } from './victims';
import { selectVictimsOnNode } from './victims';

interface Remembered {
  readonly result: Victims | Status;
  readonly budgetsVersion: number;
  readonly nominated: readonly PodInfo[];
  /** When it was found out: pods that have not started count as starting now, so it holds for later moments only. */
  readonly since: number;
}

/** Dry runs by node, remembered where they follow from node, shape, budgets and nominated pods alone: when all filters are node-local. */
export class RememberedVictims {
  private readonly memo: NodeMemo<Remembered> | undefined;
  private readonly budgetsVersion: number;

  constructor(
    private readonly framework: FilterRunner,
    private readonly state: CycleState,
    private readonly pod: PodInfo,
  ) {
    const { listers, memos } = state.cycle.snapshot;
    this.budgetsVersion = listers.table('poddisruptionbudgets').version;
    const names = state.nodeLocalFilters.map((plugin) => plugin.name).join();
    if (state.otherFilters.length === 0) this.memo = memos.nodeMemo(`victims ${framework.id} ${names} ${shapeOf(pod)}`);
  }

  select(node: NodeInfo): Victims | Status {
    const { memo, state } = this;
    const nominated = state.cycle.nominated.on(node.name);
    if (memo === undefined || nominated.some((other) => other.uid === this.pod.uid)) return this.compute(node);
    if (memo.has(node.slot, node.generation)) {
      const known = memo.get(node.slot);
      if (known.budgetsVersion === this.budgetsVersion && known.nominated === nominated && state.cycle.now >= known.since)
        return known.result;
    }
    const result = this.compute(node);
    if (!startsInFuture(node, state.cycle.now)) {
      memo.set(node.slot, node.generation, { result, budgetsVersion: this.budgetsVersion, nominated, since: state.cycle.now });
    }
    return result;
  }

  private compute(node: NodeInfo): Victims | Status {
    return selectVictimsOnNode(this.framework, this.state.clone(), this.pod, node.clone());
  }
}

/** Then the order of importance among pods would change with time. */
function startsInFuture(node: NodeInfo, now: number): boolean {
  return node.pods.some((pod) => pod.startTime !== undefined && pod.startTime > now);
}
