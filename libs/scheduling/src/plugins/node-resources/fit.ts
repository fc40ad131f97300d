import type { KubeObject } from '#libs/kernel';
import type { CycleState } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { FilterPlugin, ScorePlugin } from '../../framework/interface';
import { assignedNode, nodeStatus, nominatedNode } from '../../framework/kube-types';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { podInfoOf } from '../../framework/pod-info';
import type { Resource } from '../../framework/resource';
import { amountIn, amountOf, emptyResource, isExtendedResource, resourceFromMap } from '../../framework/resource';
import type { Code, Status } from '../../framework/status';
import { ResourceScorer } from './resource-scorer';
import type { ScoringStrategy } from './scoring-strategy';
import { defaultScoringStrategy } from './scoring-strategy';

const name = 'NodeResourcesFit';

export interface NodeResourcesFitArgs {
  ignoredResources?: string[];
  ignoredResourceGroups?: string[];
  scoringStrategy?: ScoringStrategy;
}

/** What the pod asks for must be left on the node; scores by how full the node would be. */
export class NodeResourcesFit implements FilterPlugin, ScorePlugin {
  readonly name = name;
  readonly isNodeLocal = true;
  private readonly ignored: ReadonlySet<string>;
  private readonly ignoredGroups: ReadonlySet<string>;
  private readonly scorer: ResourceScorer;

  constructor(args: NodeResourcesFitArgs = {}) {
    this.ignored = new Set(args.ignoredResources ?? []);
    this.ignoredGroups = new Set(args.ignoredResourceGroups ?? []);
    this.scorer = new ResourceScorer(args.scoringStrategy ?? defaultScoringStrategy);
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    return this.fits(pod, node.allocatable, node.requested, node.pods.length);
  }

  score(_state: CycleState, pod: PodInfo, node: NodeInfo): number {
    return this.scorer.score(pod, node);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('Pod', Action.Delete | Action.UpdatePodScaleDown, afterPodEvent),
      on('Node', Action.Add | Action.UpdateNodeAllocatable, (pod, old, updated) => this.afterNodeChange(pod, old, updated)),
    ];
  }

  /**
   * Several resources may be short at once. Where a request exceeds the allocatable as such, no preemption helps. The common
   * verdicts are shared objects, told apart by a set of bits.
   */
  private fits(pod: PodInfo, allocatable: Resource, used: Resource, podCount: number): Status | undefined {
    const wanted = pod.requests;
    let short = podCount + 1 > allocatable.allowedPodCount ? shortOfPods : 0;
    if (wanted.milliCpu > 0 && wanted.milliCpu > allocatable.milliCpu - used.milliCpu) {
      short |= wanted.milliCpu > allocatable.milliCpu ? shortOfCpu | beyond : shortOfCpu;
    }
    if (wanted.memory > 0 && wanted.memory > allocatable.memory - used.memory) {
      short |= wanted.memory > allocatable.memory ? shortOfMemory | beyond : shortOfMemory;
    }
    if (wanted.ephemeralStorage > 0 && wanted.ephemeralStorage > allocatable.ephemeralStorage - used.ephemeralStorage) {
      short |= wanted.ephemeralStorage > allocatable.ephemeralStorage ? shortOfStorage | beyond : shortOfStorage;
    }
    if (wanted.scalars === undefined) return short === 0 ? undefined : shared[short];
    return this.withScalars(short, wanted.scalars, allocatable, used);
  }

  private withScalars(short: number, wanted: ReadonlyMap<string, number>, allocatable: Resource, used: Resource): Status | undefined {
    const reasons: string[] = [];
    for (const [resource, amount] of wanted) {
      if (amount === 0 || this.isIgnored(resource)) continue;
      const capacity = allocatable.scalars?.get(resource) ?? 0;
      if (amount <= capacity - (used.scalars?.get(resource) ?? 0)) continue;
      if (amount > capacity) short |= beyond;
      reasons.push(`Insufficient ${resource}`);
    }
    const common = shared[short] as Status;
    if (reasons.length === 0) return short === 0 ? undefined : common;
    return { code: common.code, reasons: [...common.reasons, ...reasons.sort()], plugin: name };
  }

  private isIgnored(resource: string): boolean {
    if (!isExtendedResource(resource)) return false;
    return this.ignored.has(resource) || this.ignoredGroups.has(resource.slice(0, resource.indexOf('/')));
  }

  /** The pod fits the empty node, which is new or has grown in something the pod asks for. */
  private afterNodeChange(pod: PodInfo, old: KubeObject | undefined, updated: KubeObject | undefined): Hint {
    if (updated === undefined) return 'QueueSkip';
    const allocatable = resourceFromMap(nodeStatus(updated).allocatable);
    if (this.fits(pod, allocatable, emptyResource(), 0) !== undefined) return 'QueueSkip';
    if (old === undefined) return 'Queue';
    return hasGrown(pod, resourceFromMap(nodeStatus(old).allocatable), allocatable) ? 'Queue' : 'QueueSkip';
  }
}

const shortOfPods = 1;
const shortOfCpu = 2;
const shortOfMemory = 4;
const shortOfStorage = 8;
const beyond = 16;

const shared: readonly Status[] = Array.from({ length: 32 }, (_unused, short): Status => {
  const reasons: string[] = [];
  if (short & shortOfPods) reasons.push('Too many pods');
  if (short & shortOfCpu) reasons.push('Insufficient cpu');
  if (short & shortOfMemory) reasons.push('Insufficient memory');
  if (short & shortOfStorage) reasons.push('Insufficient ephemeral-storage');
  const code: Code = short & beyond ? 'UnschedulableAndUnresolvable' : 'Unschedulable';
  return { code, reasons, plugin: name };
});

function hasGrown(pod: PodInfo, before: Resource, after: Resource): boolean {
  if (after.allowedPodCount > before.allowedPodCount) return true;
  for (const resource of pod.requestList.keys()) {
    if (amountOf(pod.requestList, resource) > 0 && amountIn(after, resource) > amountIn(before, resource)) return true;
  }
  return false;
}

/** Any assigned or nominated pod that goes leaves room; one that shrinks does if it did so in something the pod asks for. */
function afterPodEvent(pod: PodInfo, old: KubeObject | undefined, updated: KubeObject | undefined): Hint {
  if (old === undefined) return 'QueueSkip';
  if (updated === undefined) return assignedNode(old) !== '' || nominatedNode(old) !== '' ? 'Queue' : 'QueueSkip';
  if (updated.metadata.uid === pod.uid) return 'Queue';
  if (assignedNode(updated) === '') return 'QueueSkip';
  const before = podInfoOf(old).requests;
  const after = podInfoOf(updated).requests;
  for (const resource of pod.requestList.keys()) {
    if (amountOf(pod.requestList, resource) > 0 && amountIn(before, resource) > amountIn(after, resource)) return 'Queue';
  }
  return 'QueueSkip';
}
