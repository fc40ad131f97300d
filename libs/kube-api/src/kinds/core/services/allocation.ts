import type { KubeObject } from '#libs/kernel';
import { invalid, invalidValue } from '../../../status';
import type { Failure } from '../../../status';
import { formatIPv4, inCidr, parseAddress, parseCidr } from '../../../validation/addresses';
import type { AddressRange } from '../../../validation/addresses';
import { isHeadless, needsClusterIP, needsNodePort } from './strategy';

/** What services may be given, and what others hold. */
export interface ServiceRanges {
  /** CIDR notation, IPv4. */
  clusterIPs: string;
  nodePorts?: { first: number; last: number };
  usesIP(address: string): boolean;
  usesPort(port: number): boolean;
  /** A number in [0, bound): which of the free ones is taken. */
  chance(bound: number): number;
}

const defaultNodePorts = { first: 30000, last: 32767 };

/** The service with cluster IP and node ports, or why it cannot have them. Values the client chose are checked, not changed. */
export function allocateService(service: KubeObject, ranges: ServiceRanges, old?: KubeObject): KubeObject | Failure {
  const { spec } = service;
  let allocated = service;
  if (needsClusterIP(spec) && !isHeadless(spec)) {
    const asked: string | undefined = spec.clusterIP;
    if (!asked) {
      const address = pickAddress(ranges);
      if (address === undefined) return refuse(service, 'spec.clusterIPs', [], 'failed to allocate a serviceIP: range is full');
      allocated = { ...allocated, spec: { ...allocated.spec, clusterIP: address, clusterIPs: [address] } };
    } else if (asked !== old?.spec?.clusterIP) {
      const text = addressRefusal(asked, ranges);
      if (text) return refuse(service, 'spec.clusterIPs', [asked], `failed to allocate IP ${asked}: ${text}`);
    }
  }
  return needsNodePort(spec) ? allocatePorts(allocated, ranges, old) : allocated;
}

function refuse(service: KubeObject, field: string, value: unknown, text: string): Failure {
  return invalid('Service', service.metadata.name, [invalidValue(field, value, text)]);
}

function addressRefusal(asked: string, ranges: ServiceRanges): string | undefined {
  const range = parseCidr(ranges.clusterIPs);
  const address = parseAddress(asked);
  if (!range || !address || !inCidr(address, range)) {
    return `the provided IP (${asked}) is not in the valid range. The range of valid IPs is ${ranges.clusterIPs}`;
  }
  return ranges.usesIP(asked) ? 'provided IP is already allocated' : undefined;
}

/** Network and broadcast address are left out; the lower band is kept for addresses that clients choose, as upstream does. */
function pickAddress(ranges: ServiceRanges): string | undefined {
  const range = parseCidr(ranges.clusterIPs);
  if (!range || range.family !== 4) return undefined;
  const first = networkOf(range) + 1n;
  const count = Number((1n << BigInt(32 - range.prefix)) - 2n);
  if (count <= 0) return undefined;
  const reserved = count < 16 ? 0 : Math.min(256, Math.max(16, Math.floor(count / 16)));
  return firstFree(first + BigInt(reserved), count - reserved, ranges) ?? (reserved > 0 ? firstFree(first, reserved, ranges) : undefined);
}

function networkOf({ bits, prefix }: AddressRange): bigint {
  const shift = BigInt(32 - prefix);
  return (bits >> shift) << shift;
}

function firstFree(start: bigint, count: number, ranges: ServiceRanges): string | undefined {
  const offset = ranges.chance(count);
  for (let i = 0; i < count; i++) {
    const address = formatIPv4(start + BigInt((offset + i) % count));
    if (!ranges.usesIP(address)) return address;
  }
  return undefined;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

function allocatePorts(service: KubeObject, ranges: ServiceRanges, old?: KubeObject): KubeObject | Failure {
  const { first, last } = ranges.nodePorts ?? defaultNodePorts;
  const held = new Set<number>((old?.spec?.ports ?? []).map(({ nodePort }: Loose) => nodePort));
  const taken = new Set<number>();
  const ports: Loose[] = [];
  for (const [index, port] of ((service.spec.ports ?? []) as Loose[]).entries()) {
    const asked: number | undefined = port.nodePort || undefined;
    const field = `spec.ports[${index}].nodePort`;
    if (asked === undefined) {
      const picked = pickPort(first, last, taken, ranges);
      if (picked === undefined) return refuse(service, field, 0, 'failed to allocate a nodePort: range is full');
      taken.add(picked);
      ports.push({ ...port, nodePort: picked });
      continue;
    }
    if (!held.has(asked) && !taken.has(asked)) {
      if (asked < first || asked > last) {
        return refuse(service, field, asked, `provided port is not in the valid range. The range of valid ports is ${first}-${last}`);
      }
      if (ranges.usesPort(asked)) return refuse(service, field, asked, 'provided port is already allocated');
    }
    taken.add(asked);
    ports.push(port);
  }
  return { ...service, spec: { ...service.spec, ports } };
}

function pickPort(first: number, last: number, taken: ReadonlySet<number>, ranges: ServiceRanges): number | undefined {
  const count = last - first + 1;
  const offset = ranges.chance(count);
  for (let i = 0; i < count; i++) {
    const port = first + ((offset + i) % count);
    if (!taken.has(port) && !ranges.usesPort(port)) return port;
  }
  return undefined;
}
