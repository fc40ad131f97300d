import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { labelOf, selectorMatches } from '../../framework/selectors';
import type { SpreadConstraint } from './constraints';
import { countMatching, hasAllKeys, isIncluded } from './constraints';

/** How many matching pods each domain of one constraint has. */
interface Domains {
  readonly counts: ReadonlyMap<string, number>;
  /** The emptiest domain, and the count of the emptiest among the others. */
  readonly emptiest: string | undefined;
  readonly min: number;
  readonly nextMin: number;
}

/**
 * The domains of all constraints. In a dry run all changes happen on one node, so they touch one domain of each constraint: a copy holds
 * those changes alone.
 */
export class SpreadState implements StateData {
  private readonly changes: (Map<string, number> | undefined)[];

  constructor(
    readonly constraints: readonly SpreadConstraint[],
    private readonly domains: readonly Domains[],
    changes?: readonly (ReadonlyMap<string, number> | undefined)[],
  ) {
    this.changes = constraints.map((_constraint, i) => changes?.[i] && new Map(changes[i]));
  }

  clone(): SpreadState {
    return new SpreadState(this.constraints, this.domains, this.changes);
  }

  count(i: number, domain: string): number {
    return ((this.domains[i] as Domains).counts.get(domain) ?? 0) + (this.changes[i]?.get(domain) ?? 0);
  }

  /** The count of the emptiest domain; 0 while there are fewer domains than asked for. */
  minimum(i: number): number {
    const { counts, emptiest, min, nextMin } = this.domains[i] as Domains;
    const changes = this.changes[i];
    let domainCount = counts.size;
    let minimum = min;
    if (changes !== undefined) {
      minimum = emptiest !== undefined && changes.has(emptiest) ? nextMin : min;
      for (const [domain, change] of changes) {
        if (!counts.has(domain)) domainCount++;
        minimum = Math.min(minimum, (counts.get(domain) ?? 0) + change);
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

export function computeSpreadState(state: CycleState, pod: PodInfo, constraints: readonly SpreadConstraint[]): SpreadState {
  const counts = constraints.map(() => new Map<string, number>());
  for (const node of state.cycle.snapshot.nodes) {
    if (!hasAllKeys(node.labels, constraints)) continue;
    for (const [i, constraint] of constraints.entries()) {
      if (!isIncluded(constraint, pod, node)) continue;
      const domain = labelOf(node.labels, constraint.topologyKey) as string;
      const ofDomain = counts[i] as Map<string, number>;
      ofDomain.set(domain, (ofDomain.get(domain) ?? 0) + countMatching(node, constraint.selector, pod.namespace));
    }
  }
  return new SpreadState(constraints, counts.map(summarise));
}

function summarise(counts: ReadonlyMap<string, number>): Domains {
  let emptiest: string | undefined;
  let min = Infinity;
  let nextMin = Infinity;
  for (const [domain, count] of counts) {
    if (count < min) {
      nextMin = min;
      min = count;
      emptiest = domain;
    } else if (count < nextMin) {
      nextMin = count;
    }
  }
  return { counts, emptiest, min, nextMin };
}
