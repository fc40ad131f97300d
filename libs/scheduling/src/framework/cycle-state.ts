import type { Cycle } from './cycle';
import type { FilterPlugin } from './interface';
import type { NodeVerdicts, NominatedVerdicts } from './memo/memos';
import type { PodInfo } from './pod-info';

/** What one plugin remembers between the extension points of one scheduling attempt. */
export interface StateData {
  /** An independent copy for a dry run; cheap, as it is made for every node looked at. */
  clone(): StateData;
}

/** A typed place in the state. Make one per plugin and purpose, at module level. */
export interface StateKey<T extends StateData> {
  readonly slot: number;
  readonly name: string;
  /** Only carries the type. */
  readonly type?: T;
}

let slots = 0;

/** A new key, with a place of its own: two keys of one name are two places. */
export function stateKey<T extends StateData>(name: string): StateKey<T> {
  return { slot: slots++, name };
}

const noPlugins: ReadonlySet<string> = new Set();

/** The memory of one attempt, and the inputs it is made with. */
export class CycleState {
  skipFilterPlugins: ReadonlySet<string> = noPlugins;
  /** The filters that are run, set when PreFilter is over: first those that look at pod and node alone, then the rest. */
  nodeLocalFilters: readonly FilterPlugin[] = [];
  otherFilters: readonly FilterPlugin[] = [];
  /** What the node-local filters say, remembered; absent where it is not. */
  verdicts: NodeVerdicts | undefined;
  /** The same with nominated pods added; absent unless all filters are node-local. */
  nominatedVerdicts: NominatedVerdicts | undefined;
  /** By slot, the pods nominated to a node; absent: any node may have some. */
  nominatedSlots: readonly (readonly PodInfo[] | undefined)[] | undefined;
  /** The slot of the node that the pod itself is nominated to; -1: none; absent: not known. */
  ownNominatedSlot: number | undefined;
  skipScorePlugins: ReadonlySet<string> = noPlugins;
  private data: (StateData | undefined)[] = [];

  constructor(readonly cycle: Cycle) {}

  read<T extends StateData>(key: StateKey<T>): T | undefined {
    return this.data[key.slot] as T | undefined;
  }

  write<T extends StateData>(key: StateKey<T>, value: T): void {
    this.data[key.slot] = value;
  }

  clone(): CycleState {
    const copy = new CycleState(this.cycle);
    copy.skipFilterPlugins = this.skipFilterPlugins;
    copy.nodeLocalFilters = this.nodeLocalFilters;
    copy.otherFilters = this.otherFilters;
    copy.verdicts = this.verdicts;
    copy.nominatedSlots = this.nominatedSlots;
    copy.ownNominatedSlot = this.ownNominatedSlot;
    copy.nominatedVerdicts = this.nominatedVerdicts;
    copy.skipScorePlugins = this.skipScorePlugins;
    copy.data = this.data.map((value) => value?.clone());
    return copy;
  }
}
