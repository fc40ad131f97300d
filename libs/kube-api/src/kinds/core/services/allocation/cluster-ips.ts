import { internalError, invalid, invalidValue, type Failure } from '../../../../status';
import { formatIPv4, inCidr, parseCidr, type AddressRange } from '../../../../validation/addresses';
import { parseLegacyAddress } from '../../../../validation/legacy-addresses';
import type { KubeObject } from '#libs/kernel';
import { listOf, type Loose } from '../../../../validation/values';
import { isHeadlessSpec } from '../addressing';
import { firstFree, fullRange, reservedOf, type ServiceRanges } from './ranges';

const ofAddresses = { min: 16, max: 256, part: 16 };

/** An address for a Service that has none yet; one that it asks for is looked at. Source: upstream `allocClusterIPs`. */
export function allocateClusterIP(service: KubeObject, ranges: ServiceRanges): KubeObject | Failure {
  const spec: Loose = service.spec;
  if (spec.type === 'ExternalName' || isHeadlessSpec(spec)) return service;
  const [asked = '']: string[] = listOf(spec.clusterIPs);
  if (asked !== '') {
    const text = refusalOf(asked, ranges);
    if (text === undefined) return service;
    return invalid('Service', service.metadata.name, [
      invalidValue('spec.clusterIPs', spec.clusterIPs, `failed to allocate IP ${asked}: ${text}`),
    ]);
  }
  // A Service of no family that this cluster has is given nothing.
  if (listOf(spec.ipFamilies).length === 0) return service;
  const address = ranges.dryRun ? networkAddress(ranges) : pickAddress(ranges);
  if (address === undefined) return internalError(`failed to allocate a serviceIP: ${fullRange}`);
  return { ...service, spec: { ...spec, clusterIP: address, clusterIPs: [address] } };
}

/** Why the address cannot be had. The first and the last one of a range are the network's own. */
function refusalOf(asked: string, { clusterIPs, dryRun, usesIP }: ServiceRanges): string | undefined {
  const range = parseCidr(clusterIPs) as AddressRange;
  const address = parseLegacyAddress(asked);
  const network = networkOf(range);
  const isOwn = address?.bits === network || address?.bits === network + (1n << BigInt(32 - range.prefix)) - 1n;
  if (!address || isOwn || !inCidr(address, range)) {
    return dryRun
      ? `the provided IP (${asked}) is not in the valid range. The range of valid IPs is ${clusterIPs}`
      : 'the provided network does not match the current range';
  }
  return !dryRun && usesIP(formatIPv4(address.bits)) ? 'provided IP is already allocated' : undefined;
}

function pickAddress({ clusterIPs, usesIP, chance }: ServiceRanges): string | undefined {
  const range = parseCidr(clusterIPs) as AddressRange;
  const size = 2 ** (32 - range.prefix);
  const first = networkOf(range) + 1n;
  const addressAt = (place: number): string => formatIPv4(first + BigInt(place));
  const place = firstFree(size - 2, reservedOf(size, ofAddresses), chance, (candidate) => !usesIP(addressAt(candidate)));
  return place === undefined ? undefined : addressAt(place);
}

function networkAddress({ clusterIPs }: ServiceRanges): string {
  return formatIPv4(networkOf(parseCidr(clusterIPs) as AddressRange));
}

function networkOf({ bits, prefix }: AddressRange): bigint {
  const shift = BigInt(32 - prefix);
  return (bits >> shift) << shift;
}
