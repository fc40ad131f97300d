import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject, ObjectKey } from '#libs/kernel';
import type { Report } from '../loop/report';
import type { AddressType } from './service';
import type { SliceChanges } from './slice-changes';
import { isOverloaded, zoneShares, type ZoneShares } from './topology';
import { isTopologyAware, withTopologyHints } from './topology-hints';
import { closeHints, trafficDistributionOf, withHints } from './traffic-hints';

/** Endpoints by zone, of one address type; none: they have no hints of zones. */
export interface ZonesOfType {
  type: AddressType;
  zones: ReadonlyMap<string, number> | undefined;
}

/** How the endpoints of Services were given to zones at the last looks. A start forgets it, as upstream's does. */
export class HintedZones {
  private readonly byService = new Map<ObjectKey, ZonesOfType[]>();

  get isEmpty(): boolean {
    return this.byService.size === 0;
  }

  has(service: ObjectKey): boolean {
    return this.byService.has(service);
  }

  note(service: ObjectKey, zones: readonly ZonesOfType[] = []): void {
    const known = zones.filter((each) => each.zones !== undefined);
    if (known.length > 0) this.byService.set(service, known);
    else this.byService.delete(service);
  }

  /** Services of which a zone has too few endpoints by now. */
  *overloaded(shares: ZoneShares | undefined): Iterable<ObjectKey> {
    for (const [service, types] of this.byService) {
      if (types.some(({ zones }) => zones && isOverloaded(zones, shares))) yield service;
    }
  }
}

export interface MarkedChanges {
  changes: SliceChanges;
  zones: ReadonlyMap<string, number> | undefined;
  /** To be told of the Service. */
  events: Report[];
}

/**
 * Marks endpoints for zones and nodes as the Service asks: by its annotation, else by its field `trafficDistribution`; otherwise there are no marks.
 * @param wasHinted the look before gave endpoints to zones
 */
export function hinted(
  cluster: ClusterState,
  service: KubeObject,
  changes: SliceChanges,
  existing: readonly KubeObject[],
  type: AddressType,
  wasHinted: boolean,
): MarkedChanges {
  const event = (reason: string, message: string): Report => ({
    type: reason === 'TopologyAwareHintsEnabled' ? 'Normal' : 'Warning',
    reason,
    message: `${message}, addressType: ${type}`,
  });
  if (isTopologyAware(service)) {
    const { zones, problem, changes: marked } = withTopologyHints(changes, existing, zoneShares(cluster));
    const events = problem
      ? [event('TopologyAwareHintsDisabled', problem)]
      : wasHinted
        ? []
        : [event('TopologyAwareHintsEnabled', 'Topology Aware Hints has been enabled')];
    return { changes: marked, zones, events };
  }
  const events = wasHinted ? [event('TopologyAwareHintsDisabled', 'Topology Aware Hints has been disabled')] : [];
  const distribution = trafficDistributionOf(service);
  const hintsOf = distribution ? closeHints(distribution) : () => undefined;
  return { changes: withHints(changes, existing, hintsOf), zones: undefined, events };
}
