import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { labelOf, selectorMatches } from '../../framework/selectors';
import type { SpreadConstraint } from './constraints';
import { hasAllKeys, isIncluded } from './constraints';
import type { DomainCounts } from './domain-counts';
import { domainCountsOf } from './domain-counts';

/**
 * The domains of all constraints. In a dry run all changes happen on one node, so they touch one domain of each constraint: a copy holds
 * those changes alone.
 */
export class SpreadState implements StateData {
  private readonly changes: (Map<string, number> | undefined)[];
  private readonly minimums: readonly number[];

  constructor(
    readonly constraints: readonly SpreadConstraint[],
    private readonly domains: DomainCounts,
    /** 1 where the pod matches its own selector. */
    readonly selfMatches: readonly number[],
    changes?: readonly (ReadonlyMap<string, number> | undefined)[],
  ) {
    this.changes = constraints.map((_constraint, i) => changes?.[i] && new Map(changes[i]));
    this.minimums = constraints.map((_constraint, i) => domains.minimumWithout(i, []));
  }

  clone(): SpreadState {
    return new SpreadState(this.constraints, this.domains, this.selfMatches, this.changes);
  }

  count(i: number, domain: string): number {
    return (this.domains.count(i, domain) ?? 0) + (this.changes[i]?.get(domain) ?? 0);
  }

  /** The count of the emptiest domain; 0 while there are fewer domains than asked for. */
  minimum(i: number): number {
    const changes = this.changes[i];
    let domainCount = this.domains.domainCount(i);
    let minimum = this.minimums[i] as number;
    if (changes !== undefined) {
      minimum = this.domains.minimumWithout(i, changes.keys());
      for (const domain of changes.keys()) {
        if (this.domains.count(i, domain) === undefined) domainCount++;
        minimum = Math.min(minimum, this.count(i, domain));
      }
    }
    return domainCount < (this.constraints[i] as SpreadConstraint).minDomains ? 0 : minimum;
  }

  /** Takes one more or one less pod on the node into account. Terminating pods are not told apart here, as upstream. */
  update(pod: PodInfo, other: PodInfo, node: NodeInfo, amount: 1 | -1): void {
    if (other.namespace !== pod.namespace || !hasAllKeys(node.labels, this.constraints)) return;
    for (const [i, constraint] of this.constraints.entries()) {
      if (!selectorMatches(constraint.selector, other.labels) || !isIncluded(constraint, pod, node)) continue;
      const domain = labelOf(node.labels, constraint.topologyKey) as string;
      const changes = (this.changes[i] ??= new Map());
      changes.set(domain, (changes.get(domain) ?? 0) + amount);
    }
  }
}

export const spreadKey = stateKey<SpreadState>('PodTopologySpread/filter');

/** The counts that the filter looks at, made once an attempt. */
export function computeSpreadState(state: CycleState, pod: PodInfo, constraints: readonly SpreadConstraint[]): SpreadState {
  const selfMatches = constraints.map(({ selector }) => (selectorMatches(selector, pod.labels) ? 1 : 0));
  return new SpreadState(constraints, domainCountsOf(state.cycle.snapshot, pod, constraints, true), selfMatches);
}
