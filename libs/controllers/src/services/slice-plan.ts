import { jsonEqual, type KubeObject } from '#libs/kernel';
import { inSliceOrder } from './hashed-order';
import {
  headlessLabel,
  isOwnedBy,
  isServiceIPSet,
  managedByLabel,
  portsOf,
  serviceNameLabel,
  targetPortIn,
  type AddressType,
} from './service';
import { endpointKey, endpointOf, endpointsIn, hasEndpoint, sameEndpoint, type Endpoint, type SlicePlan } from './slice';
import type { SliceChanges } from './slice-changes';
import type { EndpointPort } from './subsets';

/** Upstream's name of the controller, as slices have it in their label. */
export const sliceManager = 'endpointslice-controller.k8s.io';
/** Endpoints of one slice. */
const endpointsMax = 100;

/** Endpoints with the same ports. */
interface Group {
  ports: EndpointPort[];
  endpoints: Map<string, Endpoint>;
}

export interface WantedSlices {
  groups: Map<string, Group>;
  /** Pods left out, since their node is not there. */
  withoutNode: KubeObject[];
}

const portsKey = (ports: readonly EndpointPort[]): string =>
  JSON.stringify(inSliceOrder(ports).map(({ name = '', port, protocol, appProtocol }) => [name, port, protocol, appProtocol]));

/** What endpoints there should be, by their ports. */
export function wantedSlices(
  service: KubeObject,
  pods: readonly KubeObject[],
  nodeOf: (pod: KubeObject) => KubeObject | undefined,
  type: AddressType,
): WantedSlices {
  const wanted: WantedSlices = { groups: new Map(), withoutNode: [] };
  for (const pod of pods.filter(hasEndpoint)) {
    const ports = inSliceOrder(endpointPorts(pod, service));
    const key = portsKey(ports);
    let group = wanted.groups.get(key);
    if (!group) wanted.groups.set(key, (group = { ports, endpoints: new Map() }));
    const node = nodeOf(pod);
    if (!node && !service.spec?.publishNotReadyAddresses) wanted.withoutNode.push(pod);
    else {
      const endpoint = endpointOf(pod, node, service, type);
      if (endpoint) group.endpoints.set(endpointKey(endpoint), endpoint);
    }
  }
  return wanted;
}

function endpointPorts(pod: KubeObject, service: KubeObject): EndpointPort[] {
  const found: EndpointPort[] = [];
  for (const servicePort of portsOf(service)) {
    const { name = '', protocol, appProtocol } = servicePort;
    const port = targetPortIn(pod, servicePort);
    if (port !== undefined) found.push({ name, protocol, port, ...(appProtocol === undefined ? {} : { appProtocol }) });
  }
  return found;
}

/** Upstream `reconcileByAddressType`, but for hints. */
export function sliceChanges(service: KubeObject, wanted: WantedSlices, existing: readonly KubeObject[], type: AddressType): SliceChanges {
  const changes: SliceChanges = { create: [], update: [], delete: existing.filter((slice) => !isOwnedBy(slice, service)) };
  const byPorts = new Map<string, KubeObject[]>();
  for (const slice of existing.filter((each) => isOwnedBy(each, service))) {
    const key = portsKey((slice.ports ?? []) as EndpointPort[]);
    byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  for (const [key, group] of wanted.groups) placeGroup(service, group, byPorts.get(key) ?? [], type, changes);
  for (const [key, slices] of byPorts) if (!wanted.groups.has(key)) changes.delete.push(...slices);
  if (existing.length === changes.delete.length && changes.create.length === 0) addPlaceholder(service, type, changes);
  return changes;
}

/** A Service without endpoints has one empty slice. */
function addPlaceholder(service: KubeObject, type: AddressType, changes: SliceChanges): void {
  const placeholder: SlicePlan = { addressType: type, labels: sliceLabels(service), ports: [], endpoints: [] };
  const [only, ...others] = changes.delete;
  const isThere =
    only !== undefined &&
    others.length === 0 &&
    endpointsIn(only).length === 0 &&
    (only.ports ?? []).length === 0 &&
    jsonEqual(only.metadata.labels, placeholder.labels);
  if (isThere) changes.delete.pop();
  else changes.create.push(placeholder);
}

/** Upstream `reconcileByPortMapping`: endpoints stay where they are; new ones go into slices that change anyway, then into one that has room for all of them, then into new ones. */
function placeGroup(
  service: KubeObject,
  { ports, endpoints }: Group,
  existing: readonly KubeObject[],
  type: AddressType,
  changes: SliceChanges,
): void {
  const rest = new Map(endpoints);
  const changed: SlicePlan[] = [];
  const unchanged: SlicePlan[] = [];
  const labels = sliceLabels(service);
  for (const slice of existing) {
    const { kept, isSame } = keep(endpointsIn(slice), rest);
    const plan: SlicePlan = { present: slice, addressType: type, labels, ports: (slice.ports ?? []) as EndpointPort[], endpoints: kept };
    if (!isSame && kept.length === 0) changes.delete.push(slice);
    else if (!isSame || !hasLabelsOf(slice, service)) changed.push(plan);
    else unchanged.push({ ...plan, labels: slice.metadata.labels ?? {} });
  }
  const fill = (plan: SlicePlan): void => {
    for (const [key, endpoint] of rest) {
      if (plan.endpoints.length >= endpointsMax) return;
      plan.endpoints.push(endpoint);
      rest.delete(key);
    }
  };
  for (const plan of [...changed].sort((a, b) => b.endpoints.length - a.endpoints.length)) fill(plan);
  while (rest.size > 0) {
    const place = rest.size < endpointsMax ? bestFit(unchanged, rest.size) : undefined;
    if (place) {
      unchanged.splice(unchanged.indexOf(place), 1);
      changed.push(place);
      fill(place);
    } else {
      const created: SlicePlan = { addressType: type, labels, ports, endpoints: [] };
      fill(created);
      changes.create.push(created);
    }
  }
  changes.update.push(...changed);
}

/** What of a slice's endpoints is still wanted, as it is wanted now; taken out of what is left to place. */
function keep(present: readonly Endpoint[], rest: Map<string, Endpoint>): { kept: Endpoint[]; isSame: boolean } {
  const kept: Endpoint[] = [];
  let isSame = true;
  for (const endpoint of present) {
    const key = endpointKey(endpoint);
    const wanted = rest.get(key);
    if (!wanted) continue;
    isSame &&= sameEndpoint(wanted, endpoint);
    kept.push(wanted);
    rest.delete(key);
  }
  // Where nothing has changed, what is there stays with its hints.
  return isSame && kept.length === present.length ? { kept: [...present], isSame: true } : { kept, isSame: false };
}

/** The slice that would be fullest with so many more. */
function bestFit(plans: readonly SlicePlan[], count: number): SlicePlan | undefined {
  let best: SlicePlan | undefined;
  for (const plan of plans) {
    const size = plan.endpoints.length;
    if (size + count <= endpointsMax && (!best || size > best.endpoints.length)) best = plan;
  }
  return best;
}

const reserved = new Set([serviceNameLabel, managedByLabel, headlessLabel]);

function ownLabels(labels: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !reserved.has(key)));
}

function hasLabelsOf(slice: KubeObject, service: KubeObject): boolean {
  return jsonEqual(ownLabels(slice.metadata.labels), ownLabels(service.metadata.labels));
}

/** The Service's labels, and those that a slice always has. */
function sliceLabels(service: KubeObject): Record<string, string> {
  return {
    ...ownLabels(service.metadata.labels),
    ...(isServiceIPSet(service) ? {} : { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: sliceManager,
  };
}
