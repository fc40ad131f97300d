import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { containerDefaults, podRequests } from '../../framework/pod-requests';
import { amountOf, isScalarResource } from '../../framework/resource';
import type { ResourceScoring, ScoringStrategy } from './scoring-strategy';
import { scoringOf } from './scoring-strategy';

/** What the pod asks for of each resource that is scored, by scorer and pod. */
type Amounts = readonly number[];

/** Applies a scoring of resources to a node with the pod added. */
export class ResourceScorer {
  private readonly resources: readonly string[];
  private readonly scoring: ResourceScoring;
  private readonly requested: number[];
  private readonly capacity: number[];
  private readonly amounts = new WeakMap<PodInfo, Amounts>();

  /** `useReal`: count what is really requested; otherwise containers without requests count as using a little processor and memory. */
  constructor(
    strategy: Pick<ScoringStrategy, 'resources'> & Partial<ScoringStrategy>,
    private readonly useReal = false,
    scoring: ResourceScoring = scoringOf(strategy as ScoringStrategy),
  ) {
    this.resources = strategy.resources.map((resource) => resource.name);
    this.scoring = scoring;
    this.requested = this.resources.map(() => 0);
    this.capacity = this.resources.map(() => 0);
  }

  score(pod: PodInfo, node: NodeInfo): number {
    const amounts = this.amountsOf(pod);
    for (let i = 0; i < this.resources.length; i++) this.fill(i, this.resources[i] as string, amounts[i] as number, node);
    return this.scoring(this.requested, this.capacity);
  }

  requestsNothing(pod: PodInfo): boolean {
    return this.amountsOf(pod).every((amount) => amount === 0);
  }

  private amountsOf(pod: PodInfo): Amounts {
    let amounts = this.amounts.get(pod);
    if (amounts === undefined) {
      // As upstream, the pod's own pod-level requests count in the filter and in balance, but not here.
      const list = this.useReal ? pod.requestList : podRequests(pod.pod, containerDefaults, false);
      amounts = this.resources.map((resource) => amountOf(list, resource));
      this.amounts.set(pod, amounts);
    }
    return amounts;
  }

  private fill(i: number, resource: string, amount: number, node: NodeInfo): void {
    let capacity = 0;
    let used = 0;
    switch (resource) {
      case 'cpu':
        capacity = node.allocatable.milliCpu;
        used = this.useReal ? node.requested.milliCpu : node.nonZeroMilliCpu;
        break;
      case 'memory':
        capacity = node.allocatable.memory;
        used = this.useReal ? node.requested.memory : node.nonZeroMemory;
        break;
      case 'ephemeral-storage':
        capacity = node.allocatable.ephemeralStorage;
        used = node.requested.ephemeralStorage;
        break;
      default:
        // An extended resource the pod does not ask for says nothing about where it should go.
        if (amount === 0 && isScalarResource(resource)) break;
        capacity = node.allocatable.scalars?.get(resource) ?? 0;
        used = node.requested.scalars?.get(resource) ?? 0;
    }
    this.capacity[i] = capacity;
    this.requested[i] = used + amount;
  }
}
