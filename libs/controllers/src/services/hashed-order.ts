import { md5 } from '#libs/kernel';
import type { EndpointAddress, EndpointPort, EndpointSubset } from './subsets';

/*
 * Upstream puts ports and subsets in the order of MD5 sums of a dump of the Go values. Whoever reads them sees that order, so it is the same
 * here: dumps as spew's `%#v` writes them.
 */

function pointer(type: string, value: string | number | undefined): string {
  return value === undefined ? `(*${type})<nil>` : `(*${type})${value}`;
}

/** Ports of a slice, in upstream's order. */
export function inSliceOrder(ports: readonly EndpointPort[]): EndpointPort[] {
  return byHash(ports, ({ name = '', protocol, port, appProtocol }) => {
    const fields = [`Name:${pointer('string', name)}`, `Protocol:${pointer('v1.Protocol', protocol)}`, `Port:${pointer('int32', port)}`];
    return `(v1.EndpointPort){${fields.join(' ')} AppProtocol:${pointer('string', appProtocol)}}`;
  });
}

/** Ports of Endpoints, in upstream's order. */
export function inSubsetOrder(ports: readonly EndpointPort[]): EndpointPort[] {
  return byHash(ports, (port) => `(v1.EndpointPort)${portDump(port)}`);
}

/** Subsets of Endpoints, in upstream's order. */
export function subsetsInOrder(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  return byHash(subsets, ({ addresses, notReadyAddresses, ports }) => {
    const ready = `Addresses:([]v1.EndpointAddress)${list(addresses, addressDump)}`;
    const notReady = `NotReadyAddresses:([]v1.EndpointAddress)${list(notReadyAddresses, addressDump)}`;
    return `(v1.EndpointSubset){${ready} ${notReady} Ports:([]v1.EndpointPort)${list(ports, portDump)}}`;
  });
}

function portDump({ name = '', port, protocol, appProtocol }: EndpointPort): string {
  return `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:${pointer('string', appProtocol)}}`;
}

function addressDump({ ip, hostname = '', nodeName, targetRef }: EndpointAddress): string {
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:${pointer('string', nodeName)} TargetRef:(*v1.ObjectReference)${
    targetRef ? referenceDump(targetRef) : '<nil>'
  }}`;
}

function referenceDump(reference: NonNullable<EndpointAddress['targetRef']>): string {
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '', resourceVersion = '', fieldPath = '' } = reference;
  const first = `Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid}`;
  return `{${first} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`;
}

function list<T>(values: readonly T[] | undefined, dump: (value: T) => string): string {
  return values && values.length > 0 ? `[${values.map(dump).join(' ')}]` : '<nil>';
}

function byHash<T>(values: readonly T[], dump: (value: T) => string): T[] {
  if (values.length < 2) return [...values];
  const hashed = values.map((value) => ({ value, hash: md5(dump(value)) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0)).map(({ value }) => value);
}
