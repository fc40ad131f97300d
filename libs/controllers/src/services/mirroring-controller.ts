import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { Reconciler, Reconciliation } from '#libs/control-loop';
import { jsonEqual, type KubeObject, type ObjectKey } from '#libs/kernel';
import { canonicalAddress, parseAddress } from '#libs/kube-api';
import { report } from '../loop/report';
import { inSliceOrder } from './hashed-order';
import {
  endpointSlices,
  isNamespaceGoing,
  managedByLabel,
  podSelectorOf,
  serviceKeyOf,
  serviceNameLabel,
  services,
  slicesOf,
  triggerTimeAnnotation,
  type AddressType,
} from './service';
import { endpointKey, endpointsIn, sameEndpoint, type Endpoint, type SlicePlan } from './slice';
import { creation, deletion, recycled, replacement, sliceObject, type SliceChanges } from './slice-changes';
import { repackedSubsets, type EndpointAddress, type EndpointPort, type EndpointSubset } from './subsets';

const endpoints = 'endpoints';
const name = 'endpointslicemirroring-controller';
const component = 'endpoint-slice-mirroring-controller';
const manager = 'endpointslicemirroring-controller.k8s.io';
/** Addresses of one subset that are mirrored. */
const endpointsMax = 1_000;
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const notMirrored = new Set([triggerTimeAnnotation, 'kubectl.kubernetes.io/last-applied-configuration']);

/** Shows Endpoints that somebody provides for a Service without a selector as EndpointSlices (upstream endpointslicemirroring controller). Subjects: `NAMESPACE/NAME`. */
export const endpointSliceMirroring: Reconciler = {
  name,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  backOff: { firstMs: 1_000, maxMs: 100_000 },
  allSubjects: (_index, cluster) => cluster.table(endpoints).keys(),

  follows: [services, endpoints, endpointSlices],
  *follow(_index, append): Iterable<ObjectKey> {
    const { change } = append;
    if (!change) return;
    const { resource, key, before, object, type } = change;
    if (resource === services) {
      const selects = podSelectorOf(object) !== undefined;
      if (type === 'MODIFIED' && before ? selects !== (podSelectorOf(before) !== undefined) : !selects) yield key;
    } else if (resource === endpoints) {
      if (mayMirror(object) || (before && mayMirror(before))) yield key;
    } else if (resource === endpointSlices) yield* touchedByOthers(append);
  },

  reconcile: syncMirror,
};

function* touchedByOthers({ change, events }: FoldedAppend): Iterable<ObjectKey> {
  if (!change || events[0]?.metadata.actor === name) return;
  for (const slice of [change.before, change.object]) {
    const key = slice?.metadata.labels?.[managedByLabel] === manager ? serviceKeyOf(slice) : undefined;
    if (key) yield key;
  }
}

function mayMirror({ metadata: { labels, annotations } }: KubeObject): boolean {
  return labels?.[skipLabel] !== 'true' && annotations?.[leaderAnnotation] === undefined;
}

function syncMirror(cluster: ClusterState, _index: undefined, key: ObjectKey): Reconciliation | undefined {
  const source = cluster.byKey(endpoints, key);
  const service = cluster.byKey(services, key);
  const existing = slicesOf(cluster, key, manager);
  if (!source || !mayMirror(source) || !service || podSelectorOf(service)) {
    return existing.length > 0 ? { steps: existing.map(deletion) } : undefined;
  }
  const { groups, invalid, skipped } = mirroredGroups((source.subsets ?? []) as EndpointSubset[]);
  const changes = recycled(mirrorChanges(source, groups, existing), () => true);
  const tell = (reason: string, message: string): ReturnType<typeof report> =>
    report(component, endpoints, source, { type: 'Warning', reason, message });
  const records = [
    ...(invalid > 0 ? [tell('InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`)] : []),
    ...(skipped > invalid
      ? [
          tell(
            'TooManyAddressesToMirror',
            `A max of ${endpointsMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
          ),
        ]
      : []),
  ];
  return { records, steps: stepsOf(cluster, source, changes), sequential: true };
}

interface Group {
  type: AddressType;
  ports: EndpointPort[];
  endpoints: Map<string, Endpoint>;
}

interface Mirrored {
  groups: Map<string, Group>;
  /** Addresses that are none, and all that are left out. */
  invalid: number;
  skipped: number;
}

const portsKey = (type: string, ports: readonly EndpointPort[]): string =>
  JSON.stringify([
    type,
    ...inSliceOrder(ports).map(({ name: portName = '', port, protocol, appProtocol }) => [portName, port, protocol, appProtocol]),
  ]);

function mirroredGroups(subsets: readonly EndpointSubset[]): Mirrored {
  const mirrored: Mirrored = { groups: new Map(), invalid: 0, skipped: 0 };
  for (const { ports = [], addresses = [], notReadyAddresses = [] } of repackedSubsets(subsets)) {
    const slicePorts = inSliceOrder(ports.map((port) => ({ ...port, name: port.name ?? '' })));
    const groupOf = (type: AddressType): Group => {
      const key = portsKey(type, slicePorts);
      const group = mirrored.groups.get(key) ?? { type, ports: slicePorts, endpoints: new Map() };
      mirrored.groups.set(key, group);
      return group;
    };
    let added = 0;
    for (const [list, ready] of [
      [addresses, true],
      [notReadyAddresses, false],
    ] as const) {
      for (const address of list) {
        if (added >= endpointsMax) break;
        const endpoint = mirroredEndpoint(address, ready);
        if (!endpoint) mirrored.invalid++;
        else {
          groupOf(address.ip.includes(':') ? 'IPv6' : 'IPv4').endpoints.set(endpointKey(endpoint), endpoint);
          added++;
        }
      }
    }
    mirrored.skipped += addresses.length + notReadyAddresses.length - added;
  }
  return mirrored;
}

function mirroredEndpoint({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint | undefined {
  if (!parseAddress(ip)) return undefined;
  return {
    addresses: [canonicalAddress(ip)],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

/** One slice for each set of ports and type of addresses. */
function mirrorChanges(source: KubeObject, groups: ReadonlyMap<string, Group>, existing: readonly KubeObject[]): SliceChanges {
  const changes: SliceChanges = { create: [], update: [], delete: [] };
  const left = new Map<string, KubeObject[]>();
  for (const slice of existing) {
    const key = portsKey(slice.addressType, (slice.ports ?? []) as EndpointPort[]);
    left.set(key, [...(left.get(key) ?? []), slice]);
  }
  for (const [key, { type, ports, endpoints: wanted }] of groups) {
    const [first, ...others] = left.get(key) ?? [];
    left.delete(key);
    changes.delete.push(...others);
    if (first && isCurrent(first, source, wanted)) continue;
    const plan: SlicePlan = { addressType: type, labels: labelsOf(source), ports, endpoints: [...wanted.values()].slice(0, endpointsMax) };
    if (first) changes.update.push({ ...plan, takes: first.metadata.name });
    else changes.create.push(plan);
  }
  for (const slices of left.values()) changes.delete.push(...slices);
  return changes;
}

function isCurrent(slice: KubeObject, source: KubeObject, wanted: ReadonlyMap<string, Endpoint>): boolean {
  const present = endpointsIn(slice);
  const { [managedByLabel]: _manager, [serviceNameLabel]: _service, ...labels } = slice.metadata.labels ?? {};
  return (
    present.length === wanted.size &&
    present.every((endpoint) => {
      const same = wanted.get(endpointKey(endpoint));
      return same !== undefined && sameEndpoint(same, endpoint);
    }) &&
    jsonEqual(labels, source.metadata.labels ?? {}) &&
    jsonEqual(annotationsOf(source), slice.metadata.annotations ?? {}) &&
    slice.metadata.ownerReferences?.some(({ uid }) => uid === source.metadata.uid) === true
  );
}

function labelsOf({ metadata }: KubeObject): Record<string, string> {
  return { ...metadata.labels, [serviceNameLabel]: metadata.name, [managedByLabel]: manager };
}

function annotationsOf({ metadata: { annotations = {} } }: KubeObject): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !notMirrored.has(key)));
}

function stepsOf(cluster: ClusterState, source: KubeObject, changes: SliceChanges): Reconciliation['steps'] {
  const { namespace = '', name: called, deletionTimestamp } = source.metadata;
  const annotations = annotationsOf(source);
  const shown = Object.keys(annotations).length > 0 ? annotations : undefined;
  const mayCreate = deletionTimestamp === undefined && !isNamespaceGoing(cluster, namespace);
  const owner = { object: source, kind: 'Endpoints' as const };
  const generateName = `${called}-`;
  const created = (mayCreate ? changes.create : []).map((plan, index) =>
    creation(sliceObject(plan, { ...owner, generateName }, shown), index),
  );
  const updated = changes.update.map((plan) => replacement(sliceObject(plan, owner, shown)));
  return [...created, ...updated, ...changes.delete.map(deletion)];
}
