import { jsonEqual, type KubeObject } from '#libs/kernel';
import { endpointsIn, isEndpointReady, type Endpoint, type SlicePlan } from './slice';
import type { SliceChanges } from './slice-changes';

const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

/** Field `trafficDistribution`, where it is one that endpoints are marked for. */
export function trafficDistributionOf(service: KubeObject): string | undefined {
  const distribution = service.spec?.trafficDistribution as string | undefined;
  return distribution !== undefined && distributions.includes(distribution) ? distribution : undefined;
}

/** Slices that were not to be changed, as plans. */
export function unchangedPlans(existing: readonly KubeObject[], changes: SliceChanges): SlicePlan[] {
  const changed = new Set(changes.update.map(({ present, takes }) => present?.metadata.name ?? takes));
  for (const { metadata } of changes.delete) changed.add(metadata.name);
  return existing
    .filter(({ metadata }) => !changed.has(metadata.name))
    .map((slice) => ({
      present: slice,
      addressType: slice.addressType,
      labels: slice.metadata.labels ?? {},
      ports: slice.ports ?? [],
      endpoints: endpointsIn(slice),
    }));
}

/** The changes with endpoints marked by one rule; slices that were not to be changed, and are marked otherwise, change too. */
export function withHints(
  changes: SliceChanges,
  existing: readonly KubeObject[],
  hintsOf: (endpoint: Endpoint) => Endpoint['hints'] | 'as they are',
): SliceChanges {
  const marked = (plan: SlicePlan): SlicePlan => ({
    ...plan,
    endpoints: plan.endpoints.map((endpoint) => withHint(endpoint, hintsOf(endpoint))),
  });
  const turned = unchangedPlans(existing, changes)
    .map((plan) => ({ plan, after: marked(plan) }))
    .filter(({ plan, after }) => !jsonEqual(plan.endpoints, after.endpoints))
    .map(({ after }) => after);
  return { create: changes.create.map(marked), update: [...changes.update.map(marked), ...turned], delete: changes.delete };
}

function withHint(endpoint: Endpoint, hints: Endpoint['hints'] | 'as they are'): Endpoint {
  if (hints === 'as they are') return endpoint;
  const { hints: _, ...rest } = endpoint;
  return hints ? { ...rest, hints } : rest;
}

/** A ready endpoint is for its own zone, and for its own node where that is preferred (upstream package `trafficdist`). */
export function closeHints(distribution: string): (endpoint: Endpoint) => Endpoint['hints'] | 'as they are' {
  return (endpoint) => {
    if (!isEndpointReady(endpoint)) return 'as they are';
    const { zone, nodeName } = endpoint;
    const forNode = distribution === 'PreferSameNode' && nodeName !== undefined;
    if (zone === undefined && !forNode) return undefined;
    return {
      ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
      ...(forNode ? { forNodes: [{ name: nodeName }] } : {}),
    };
  };
}
