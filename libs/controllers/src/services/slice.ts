import { isReady, isTerminal } from '#libs/cluster-state';
import { jsonEqual, type JsonObject, type KubeObject } from '#libs/kernel';
import { addressesOf, isNamedIn, type AddressType } from './service';
import type { EndpointPort, ObjectReference } from './subsets';

export interface Endpoint {
  addresses: string[];
  conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  hostname?: string;
  targetRef?: ObjectReference;
  nodeName?: string;
  zone?: string;
  hints?: { forZones?: { name: string }[]; forNodes?: { name: string }[] };
}

/** A slice as a look would have it. */
export interface SlicePlan {
  /** What is there already; absent: made anew. */
  present?: KubeObject;
  /** The name of a slice whose place this one takes. */
  takes?: string;
  addressType: AddressType;
  labels: Record<string, string>;
  ports: EndpointPort[];
  endpoints: Endpoint[];
}

export function endpointsIn(slice: KubeObject): Endpoint[] {
  return (slice.endpoints ?? []) as Endpoint[];
}

export function isEndpointReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true;
}

/** Slices tell endpoints apart by these (upstream `hashEndpoint`). */
export function endpointKey({ addresses, hostname = '', targetRef }: Endpoint): string {
  return JSON.stringify([[...addresses].sort(), hostname, targetRef?.namespace ?? '', targetRef?.name ?? '']);
}

/** Whether endpoints with the same key are the same; hints are looked at elsewhere. */
export function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return a.nodeName === b.nodeName && a.zone === b.zone && jsonEqual(a.conditions, b.conditions) && sameReference(a.targetRef, b.targetRef);
}

function sameReference(a: ObjectReference | undefined, b: ObjectReference | undefined): boolean {
  const { resourceVersion: _a, ...one } = a ?? {};
  const { resourceVersion: _b, ...other } = b ?? {};
  return (a === undefined) === (b === undefined) && jsonEqual(one as JsonObject, other as JsonObject);
}

/** Whether a pod has endpoints at all: those of one that is going stay until it has ended. */
export function hasEndpoint(pod: KubeObject): boolean {
  return !isTerminal(pod) && (Boolean(pod.status?.podIP) || pod.status?.podIPs?.length > 0);
}

/** A pod's endpoint in slices of one address type; undefined: it has no such address. */
export function endpointOf(pod: KubeObject, node: KubeObject | undefined, service: KubeObject, type: AddressType): Endpoint | undefined {
  const addresses = addressesOf(pod, type);
  if (addresses.length === 0) return undefined;
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace, name, uid } = pod.metadata;
  const nodeName = pod.spec?.nodeName as string | undefined;
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'];
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(isNamedIn(pod, service) ? { hostname: pod.spec.hostname as string } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}
