import { CycleState } from './cycle-state';
import type { Cycle } from './cycle';
import type { Diagnosis } from './diagnosis';
import type {
  BindPlugin,
  FilterPlugin,
  FilterRunner,
  ObjectWrite,
  PermitPlugin,
  Plugin,
  PostBindPlugin,
  PostFilterPlugin,
  PostFilterResult,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreScorePlugin,
  QueueSortPlugin,
  ReservePlugin,
  ScorePlugin,
} from './interface';
import { NodeFilters } from './node-filters';
import type { NodeInfo } from './node-info';
import type { PodInfo } from './pod-info';
import type { Status } from './status';
import { isRejected, messageOf } from './status';

/** The plugins of a profile by extension point, each list in the order they run. */
export interface PluginSet {
  preEnqueue: PreEnqueuePlugin[];
  queueSort: QueueSortPlugin[];
  preFilter: PreFilterPlugin[];
  filter: FilterPlugin[];
  postFilter: PostFilterPlugin[];
  preScore: PreScorePlugin[];
  score: { plugin: ScorePlugin; weight: number }[];
  reserve: ReservePlugin[];
  permit: PermitPlugin[];
  preBind: PreBindPlugin[];
  bind: BindPlugin[];
  postBind: PostBindPlugin[];
}

export interface PreFilterOutcome {
  /** A refusal, or an error. */
  readonly status: Status | undefined;
  /** Undefined: all nodes. */
  readonly nodeNames: ReadonlySet<string> | undefined;
  readonly pluginsWithNodes: ReadonlySet<string>;
}

/** Plugins whose PreBind has nothing to do for a pod without volumes and claims. */
const bindingForClaimsOnly = ['VolumeBinding', 'DynamicResources'];

let frameworkCount = 0;

/** Runs the plugins of one profile (upstream `frameworkImpl`). Holds nothing between attempts. */
export class Framework implements FilterRunner {
  /** Tells what is remembered for one profile from what is for another. */
  readonly id = frameworkCount++;
  private readonly filters: NodeFilters;
  private readonly hasOwnBindingPlugins: boolean;

  constructor(
    readonly schedulerName: string,
    readonly plugins: PluginSet,
    /** 0: by the size of the cluster. Undefined: the configuration's global value. */
    readonly percentageOfNodesToScore: number | undefined,
  ) {
    this.hasOwnBindingPlugins =
      plugins.reserve.length + plugins.permit.length > 0 || plugins.preBind.some(({ name }) => !bindingForClaimsOnly.includes(name));
    this.filters = new NodeFilters(this.id, plugins.filter, (state, pod, added, node) => this.runAddPod(state, pod, added, node));
  }

  /** Whether this pod's binding takes more than writing it: a plugin of the user's, or volumes or claims of the pod's. */
  hasBindingWork(pod: PodInfo): boolean {
    if (this.hasOwnBindingPlugins) return true;
    const { volumes, resourceClaims } = pod.spec;
    return resourceClaims !== undefined || (volumes?.some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral) ?? false);
  }

  /** Every plugin of the profile, once. */
  all(): Plugin[] {
    const { score, ...others } = this.plugins;
    return [...new Set<Plugin>([...Object.values(others).flat(), ...score.map((entry) => entry.plugin)])];
  }

  newState(cycle: Cycle): CycleState {
    return new CycleState(cycle);
  }

  /** A refusal no preemption can cure stops at once; any other is remembered while the rest still run. */
  runPreFilter(state: CycleState, pod: PodInfo): PreFilterOutcome {
    const skipped = new Set<string>();
    const pluginsWithNodes = new Set<string>();
    let nodeNames: ReadonlySet<string> | undefined;
    let refusal: Status | undefined;
    for (const plugin of this.plugins.preFilter) {
      const result = plugin.preFilter(state, pod);
      if (result === undefined) continue;
      if ('nodeNames' in result) {
        pluginsWithNodes.add(plugin.name);
        nodeNames = nodeNames === undefined ? result.nodeNames : intersection(nodeNames, result.nodeNames);
        if (nodeNames.size > 0) continue;
        return { status: noNodeLeft(pluginsWithNodes), nodeNames, pluginsWithNodes };
      }
      if (result.code === 'Skip') skipped.add(plugin.name);
      else if (result.code === 'Unschedulable') refusal = result;
      else if (result.code === 'Error')
        return { status: wrapError('PreFilter', plugin.name, result), nodeNames: undefined, pluginsWithNodes: noNames };
      else if (result.code !== 'Success') return { status: result, nodeNames: undefined, pluginsWithNodes: noNames };
    }
    state.skipFilterPlugins = skipped;
    this.filters.arrange(state, pod);
    return { status: refusal, nodeNames, pluginsWithNodes };
  }

  runFiltersWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    return this.filters.runWithNominated(state, pod, node);
  }

  runAddPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined {
    for (const plugin of this.plugins.preFilter) {
      if (plugin.addPod === undefined || state.skipFilterPlugins.has(plugin.name)) continue;
      const status = plugin.addPod(state, pod, added, node);
      if (status !== undefined) return wrapError('AddPod on PreFilter', plugin.name, status);
    }
    return undefined;
  }

  runRemovePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined {
    for (const plugin of this.plugins.preFilter) {
      if (plugin.removePod === undefined || state.skipFilterPlugins.has(plugin.name)) continue;
      const status = plugin.removePod(state, pod, removed, node);
      if (status !== undefined) return wrapError('RemovePod on PreFilter', plugin.name, status);
    }
    return undefined;
  }

  /**
   * Until one succeeds or fails for good. The reasons of those that refused are put together; the last that had something to say on
   * the nomination is heard.
   */
  runPostFilter(state: CycleState, pod: PodInfo, diagnosis: Diagnosis): PostFilterResult {
    const reasons: string[] = [];
    const writes: ObjectWrite[] = [];
    let last: PostFilterResult = { status: undefined };
    let rejector: string | undefined;
    for (const plugin of this.plugins.postFilter) {
      const result = plugin.postFilter(state, pod, diagnosis, this);
      const status = result.status;
      if (status === undefined || status.code === 'Success') return result;
      if (status.code === 'UnschedulableAndUnresolvable') return result;
      if (!isRejected(status)) return { status, preemption: result.preemption };
      if (result.writes !== undefined) writes.push(...result.writes);
      if (result.nominatedNodeName !== undefined || result.preemption !== undefined) last = result;
      reasons.push(...status.reasons);
      rejector ??= plugin.name;
    }
    return { ...last, writes, status: { code: 'Unschedulable', reasons, plugin: rejector } };
  }

  /** An error status, or undefined. Plugins that skip are not asked to score. */
  runPreScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    const skipped = new Set<string>();
    for (const plugin of this.plugins.preScore) {
      const status = plugin.preScore(state, pod, nodes);
      if (status === undefined || status.code === 'Success') continue;
      if (status.code !== 'Skip') return wrapError('PreScore', plugin.name, status);
      skipped.add(plugin.name);
    }
    state.skipScorePlugins = skipped;
    return undefined;
  }

  runReserve(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    for (const plugin of this.plugins.reserve) {
      const status = plugin.reserve(state, pod, node);
      if (status !== undefined) return isRejected(status) ? withPlugin(status, plugin.name) : wrapError('Reserve', plugin.name, status);
    }
    return undefined;
  }

  /** `waitMs`: some plugin holds the pod back; it is let go when all that do allow it, or refused when the time is over. */
  runPermit(state: CycleState, pod: PodInfo, node: NodeInfo): { status: Status | undefined; waitMs?: number; waitingFor: string[] } {
    const waitingFor: string[] = [];
    let waitMs = 0;
    for (const plugin of this.plugins.permit) {
      const { status, waitMs: wanted = 0 } = plugin.permit(state, pod, node);
      if (status === undefined) continue;
      if (status.code === 'Wait') {
        // The one that waits the shortest comes first: it is the one that will have timed out.
        if (waitingFor.length === 0 || wanted < waitMs) {
          waitingFor.unshift(plugin.name);
          waitMs = wanted;
        } else waitingFor.push(plugin.name);
        continue;
      }
      return { status: isRejected(status) ? withPlugin(status, plugin.name) : wrapError('Permit', plugin.name, status), waitingFor: [] };
    }
    if (waitingFor.length === 0) return { status: undefined, waitingFor };
    return { status: undefined, waitMs: Math.min(waitMs, maxPermitWaitMs), waitingFor };
  }

  runPreBind(state: CycleState, pod: PodInfo, node: NodeInfo): { status: Status | undefined; writes: ObjectWrite[] } {
    const writes: ObjectWrite[] = [];
    for (const plugin of this.plugins.preBind) {
      const { status, writes: own } = plugin.preBind(state, pod, node);
      if (status !== undefined)
        return { status: isRejected(status) ? withPlugin(status, plugin.name) : wrapError('PreBind', plugin.name, status), writes: [] };
      writes.push(...own);
    }
    return { status: undefined, writes };
  }

  runUnreserve(state: CycleState, pod: PodInfo, node: NodeInfo): void {
    for (const plugin of [...this.plugins.reserve].reverse()) plugin.unreserve(state, pod, node);
  }
}

const maxPermitWaitMs = 15 * 60_000;

function withPlugin(status: Status, plugin: string): Status {
  return status.plugin === undefined ? { ...status, plugin } : status;
}

export function wrapError(point: string, plugin: string, status: Status): Status {
  return { code: 'Error', reasons: [`running ${point} plugin "${plugin}": ${messageOf(status)}`], plugin };
}

const noNames: ReadonlySet<string> = new Set();

function intersection(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((name) => b.has(name)));
}

function noNodeLeft(plugins: ReadonlySet<string>): Status {
  const names = [...plugins].sort();
  const reason =
    names.length === 1
      ? `node(s) didn't satisfy plugin ${names[0]}`
      : `node(s) didn't satisfy plugin(s) [${names.join(' ')}] simultaneously`;
  return { code: 'UnschedulableAndUnresolvable', reasons: [reason] };
}
