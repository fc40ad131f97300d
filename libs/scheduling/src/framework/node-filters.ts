import type { CycleState } from './cycle-state';
import type { FilterPlugin } from './interface';
import { shapeOf } from './memo/shape';
import type { NodeInfo } from './node-info';
import type { PodInfo } from './pod-info';
import type { Status } from './status';
import { isRejected, messageOf } from './status';

type AddPod = (state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo) => Status | undefined;

/** The Filter extension point: node by node, with and without nominated pods, remembering what it can. */
export class NodeFilters {
  constructor(
    private readonly frameworkId: number,
    private readonly plugins: readonly FilterPlugin[],
    private readonly addPod: AddPod,
  ) {}

  /** As the list is in order of cost, what can be remembered comes first anyway; nothing is moved. */
  arrange(state: CycleState, pod: PodInfo): void {
    const filters = this.plugins.filter((plugin) => !state.skipFilterPlugins.has(plugin.name));
    const firstOther = filters.findIndex((plugin) => plugin.isNodeLocal !== true);
    state.nodeLocalFilters = firstOther < 0 ? filters : filters.slice(0, firstOther);
    state.otherFilters = firstOther < 0 ? [] : filters.slice(firstOther);
    const names = state.nodeLocalFilters.map((plugin) => plugin.name).join();
    const key = `${this.frameworkId} ${names} ${shapeOf(pod)}`;
    const { memos } = state.cycle.snapshot;
    state.verdicts = memos.nodeMemo(`filter ${key}`);
    state.nominatedSlots = nominatedSlots(state);
    state.ownNominatedSlot = ownNominatedSlot(state, pod);
    state.nominatedVerdicts = state.otherFilters.length === 0 ? memos.nodeMemo(`filter with nominated ${key}`) : undefined;
  }

  /** The first refusal ends it: one verdict a node. */
  private run(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    const { verdicts } = state;
    const { generation, slot } = node;
    let status: Status | undefined;
    if (verdicts === undefined || generation < 0) {
      status = runEach(state.nodeLocalFilters, state, pod, node);
    } else if (verdicts.has(slot, generation)) {
      status = verdicts.get(slot);
    } else {
      status = runEach(state.nodeLocalFilters, state, pod, node);
      verdicts.set(slot, generation, status);
    }
    return status ?? runEach(state.otherFilters, state, pod, node);
  }

  /**
   * Two passes: first with the pods of equal or higher priority that are nominated to the node, then without them, as the pod must
   * fit whether they come or not.
   */
  runWithNominated(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    const nominated = state.nominatedSlots === undefined ? state.cycle.nominated.on(node.name) : state.nominatedSlots[node.slot];
    if (nominated === undefined || nominated.length === 0) return this.run(state, pod, node);
    const status = this.withNominated(state, pod, node, nominated);
    return status ?? this.run(state, pod, node);
  }

  private withNominated(state: CycleState, pod: PodInfo, node: NodeInfo, nominated: readonly PodInfo[]): Status | undefined {
    const memo = state.nominatedVerdicts;
    // The pod's own nomination does not count against it, so what is remembered for others would be wrong for it.
    if (memo === undefined || node.generation < 0 || isAmong(nominated, state, pod, node)) {
      return this.withAdded(state, pod, node, nominated);
    }
    if (memo.has(node.slot, node.generation)) {
      const known = memo.get(node.slot);
      if (known.nominated === nominated) return known.status;
    }
    const status = this.withAdded(state, pod, node, nominated);
    memo.set(node.slot, node.generation, { nominated, status });
    return status;
  }

  private withAdded(state: CycleState, pod: PodInfo, node: NodeInfo, nominated: readonly PodInfo[]): Status | undefined {
    const added = nominated.filter((other) => other.priority >= pod.priority && other.uid !== pod.uid);
    if (added.length === 0) return undefined;
    const stateWithThem = state.clone();
    const nodeWithThem = node.clone();
    for (const other of added) {
      nodeWithThem.addPod(other);
      const status = this.addPod(stateWithThem, pod, other, nodeWithThem);
      if (status !== undefined) return status;
    }
    return this.run(stateWithThem, pod, nodeWithThem);
  }
}

function isAmong(nominated: readonly PodInfo[], { ownNominatedSlot: own }: CycleState, pod: PodInfo, node: NodeInfo): boolean {
  return own === undefined ? nominated.some((other) => other.uid === pod.uid) : own === node.slot;
}

function nominatedSlots({ cycle: { snapshot, nominated } }: CycleState): readonly (readonly PodInfo[] | undefined)[] | undefined {
  const entries = nominated.entries?.();
  if (entries === undefined) return undefined;
  const slots = new Array<readonly PodInfo[] | undefined>(snapshot.slotCount).fill(undefined);
  for (const [name, pods] of entries) {
    const node = snapshot.get(name);
    if (node !== undefined) slots[node.slot] = pods;
  }
  return slots;
}

function ownNominatedSlot({ cycle: { snapshot, nominated } }: CycleState, pod: PodInfo): number | undefined {
  if (nominated.nominationOf === undefined) return undefined;
  const name = nominated.nominationOf(pod.uid);
  return (name === undefined ? undefined : snapshot.get(name)?.slot) ?? -1;
}

function runEach(filters: readonly FilterPlugin[], state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
  for (const plugin of filters) {
    const status = plugin.filter(state, pod, node);
    if (status === undefined) continue;
    if (isRejected(status)) return status;
    return { code: 'Error', reasons: [`running "${plugin.name}" filter plugin: ${messageOf(status)}`], plugin: plugin.name };
  }
  return undefined;
}
