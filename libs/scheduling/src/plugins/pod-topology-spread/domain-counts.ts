import { NodeAggregate } from '../../framework/memo/node-aggregate';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { labelOf } from '../../framework/selectors';
import type { Snapshot } from '../../framework/snapshot';
import type { SpreadConstraint } from './constraints';
import { countMatching, hasAllKeys, isIncluded } from './constraints';

interface Domain {
  nodeCount: number;
  podCount: number;
}

/** The domains of one constraint, and how many of them hold how many pods. */
class ConstraintDomains {
  readonly domains = new Map<string, Domain>();
  readonly levels = new Map<number, number>();

  change(name: string, nodeCount: number, podCount: number): void {
    let domain = this.domains.get(name);
    if (domain === undefined) this.domains.set(name, (domain = { nodeCount: 0, podCount: 0 }));
    else this.level(domain.podCount, -1);
    domain.nodeCount += nodeCount;
    domain.podCount += podCount;
    if (domain.nodeCount === 0) this.domains.delete(name);
    else this.level(domain.podCount, 1);
  }

  private level(podCount: number, change: 1 | -1): void {
    const count = (this.levels.get(podCount) ?? 0) + change;
    if (count === 0) this.levels.delete(podCount);
    else this.levels.set(podCount, count);
  }
}

interface Share {
  readonly place: number;
  readonly domain: string;
  readonly podCount: number;
}

/** How many matching pods each domain of each constraint has, over the nodes that belong to it. */
export class DomainCounts extends NodeAggregate<readonly Share[]> {
  private readonly ofConstraint: readonly ConstraintDomains[];

  constructor(
    private readonly pod: PodInfo,
    private readonly constraints: readonly SpreadConstraint[],
    private readonly requiresAllKeys: boolean,
  ) {
    super();
    this.ofConstraint = constraints.map(() => new ConstraintDomains());
  }

  /** Undefined: there is no such domain. */
  count(place: number, domain: string): number | undefined {
    return this.ofConstraint[place]?.domains.get(domain)?.podCount;
  }

  domainCount(place: number): number {
    return this.ofConstraint[place]?.domains.size ?? 0;
  }

  /** The fewest pods in any domain but those named. */
  minimumWithout(place: number, names: Iterable<string>): number {
    const { domains, levels } = this.ofConstraint[place] as ConstraintDomains;
    let without: Map<number, number> | undefined;
    for (const name of names) {
      const known = domains.get(name)?.podCount;
      if (known !== undefined) (without ??= new Map()).set(known, (without.get(known) ?? 0) + 1);
    }
    let minimum = Infinity;
    for (const [podCount, count] of levels) if (podCount < minimum && count > (without?.get(podCount) ?? 0)) minimum = podCount;
    return minimum;
  }

  protected override contributionOf(node: NodeInfo): readonly Share[] | undefined {
    if (this.requiresAllKeys && !hasAllKeys(node.labels, this.constraints)) return undefined;
    const shares: Share[] = [];
    for (const [place, constraint] of this.constraints.entries()) {
      if (!isIncluded(constraint, this.pod, node)) continue;
      const podCount = countMatching(node, constraint.selector, this.pod.namespace);
      shares.push({ place, domain: labelOf(node.labels, constraint.topologyKey) ?? '', podCount });
    }
    return shares;
  }

  protected override apply(shares: readonly Share[], sign: 1 | -1): void {
    for (const { place, domain, podCount } of shares) this.ofConstraint[place]?.change(domain, sign, sign * podCount);
  }
}

/** The counts for a pod's constraints, kept from attempt to attempt. */
export function domainCountsOf(
  snapshot: Snapshot,
  pod: PodInfo,
  constraints: readonly SpreadConstraint[],
  requiresAllKeys: boolean,
): DomainCounts {
  const { spec } = pod;
  const nodeChoice = constraints.some(({ honorsNodeAffinity }) => honorsNodeAffinity)
    ? [spec.nodeSelector, spec.affinity?.nodeAffinity]
    : [];
  const tolerations = constraints.some(({ honorsNodeTaints }) => honorsNodeTaints) ? pod.tolerations : [];
  const key = `spread ${JSON.stringify([requiresAllKeys, pod.namespace, constraints, nodeChoice, tolerations])}`;
  return snapshot.memos.aggregate(key, () => new DomainCounts(pod, constraints, requiresAllKeys)).update(snapshot);
}
