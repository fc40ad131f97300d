import { invalidValue } from '../status/field-error';
import { canonicalAddress, formatIPv4, inCidr, parseAddress, parseCidr, type Address, type AddressRange } from './addresses';
import { listOf, type Errors, type Loose } from './values';

/*
 * Fields that were there before addresses were read strictly take numbers with zeros ahead and IPv4 written as IPv6, and warn of them.
 * Source: upstream's `IsValidIPForLegacyField` and its kind.
 */

/** Numbers of an IPv4 address without zeros ahead. */
function withoutZeros(text: string): string {
  return text.replace(/\d+(?:\.\d+)+/, (dotted) => dotted.split('.').map(Number).join('.'));
}

function isMapped({ family, bits }: Address): boolean {
  return family === 6 && bits >> 32n === 0xffffn;
}

/** An address as it is meant: IPv4 also where it is written as IPv6. */
export function parseLegacyAddress(text: string): Address | undefined {
  const address = parseAddress(withoutZeros(text));
  return address && isMapped(address) ? { family: 4, bits: address.bits & 0xffffffffn } : address;
}

/** As `parseLegacyAddress`, of a range. */
export function parseLegacyCidr(text: string): AddressRange | undefined {
  const [address = '', length, more] = text.split('/');
  const range =
    length === undefined || more !== undefined
      ? undefined
      : parseCidr(`${withoutZeros(address)}/${/^\d+$/.test(length) ? Number(length) : length}`);
  if (!range || !isMapped(range) || range.prefix < 96) return range;
  return { family: 4, bits: range.bits & 0xffffffffn, prefix: range.prefix - 96 };
}

function written({ family, bits }: Address): string {
  if (family === 4) return formatIPv4(bits);
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  return canonicalAddress(groups.join(':'));
}

/** The range without the bits behind its prefix. */
function network(range: AddressRange): AddressRange {
  const shift = BigInt((range.family === 4 ? 32 : 128) - range.prefix);
  return { ...range, bits: (range.bits >> shift) << shift };
}

export function validateLegacyIP(text: string, field: string, errors: Errors): boolean {
  if (parseLegacyAddress(text)) return true;
  errors.push(invalidValue(field, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'));
  return false;
}

/** Where an address is written as Go writes it, and not in one of the older ways. */
export function validateStrictIP(text: string, field: string, errors: Errors): void {
  if (!validateLegacyIP(text, field, errors)) return;
  const strict = parseAddress(text);
  const found = errors.length;
  if (!strict) errors.push(invalidValue(field, text, 'must not have leading 0s'));
  if (strict && isMapped(strict)) errors.push(invalidValue(field, text, 'must not be an IPv4-mapped IPv6 address'));
  if (errors.length > found) return;
  const canonical = written(parseLegacyAddress(text) as Address);
  if (canonical !== text) errors.push(invalidValue(field, text, `must be in canonical form ("${canonical}")`));
}

export function validateLegacyCidr(text: string, field: string, errors: Errors): void {
  if (!parseLegacyCidr(text)) errors.push(invalidValue(field, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'));
}

export function validateStrictCidr(text: string, field: string, errors: Errors): void {
  const range = parseLegacyCidr(text);
  if (!range) {
    validateLegacyCidr(text, field, errors);
    return;
  }
  const refuse = (why: string) => errors.push(invalidValue(field, text, why));
  const strict = /\/(0|[1-9]\d*)$/.test(text) ? parseCidr(text) : undefined;
  const canonical = `${written(network(range))}/${range.prefix}`;
  if (!strict) refuse('must not have leading 0s in IP or prefix length');
  else if (isMapped(strict)) refuse('must not have an IPv4-mapped IPv6 address');
  else if (network(strict).bits !== strict.bits) refuse('must not have bits set beyond the prefix length');
  else if (canonical !== text) refuse(`must be in canonical form ("${canonical}")`);
}

export function warnAboutIP(text: string, field: string, warnings: string[]): void {
  const address = parseLegacyAddress(text);
  if (!address) return;
  const strict = parseAddress(text);
  const canonical = written(address);
  if (!strict || isMapped(strict)) {
    const problem = 'will be considered invalid in a future Kubernetes release';
    warnings.push(`${field}: non-standard IP address "${text}" ${problem}: use "${canonical}"`);
  } else if (strict.family === 6 && canonical !== text) {
    warnings.push(`${field}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${canonical}")`);
  }
}

export function warnAboutCidr(text: string, field: string, warnings: string[]): void {
  const range = parseLegacyCidr(text);
  if (!range) return;
  const canonical = `${written(network(range))}/${range.prefix}`;
  const before = warnings.length;
  if (network(range).bits !== range.bits) {
    const single = `${written(range)}/${range.family === 4 ? 32 : 128}`;
    warnings.push(`${field}: CIDR value "${text}" is ambiguous in this context (should be "${canonical}" or "${single}"?)`);
  }
  const strict = /\/(0|[1-9]\d*)$/.test(text) ? parseCidr(text) : undefined;
  if (!strict || isMapped(strict)) {
    const problem = 'will be considered invalid in a future Kubernetes release';
    warnings.push(`${field}: non-standard CIDR value "${text}" ${problem}: use "${canonical}"`);
  }
  if (warnings.length > before || range.family === 4) return;
  const plain = `${written(range)}/${range.prefix}`;
  if (plain !== text) warnings.push(`${field}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${plain}")`);
}

/** Addresses under which a balancer is reached. */
export function warnAboutBalancers(status: Loose, warnings: string[]): void {
  for (const [index, { ip }] of listOf(status?.loadBalancer?.ingress).entries())
    if (ip) warnAboutIP(ip, `status.loadBalancer.ingress[${index}]`, warnings);
}

const specialRanges: readonly (readonly [text: string, ...ranges: string[]])[] = [
  ['may not be in the loopback range (127.0.0.0/8, ::1/128)', '127.0.0.0/8', '::1/128'],
  ['may not be in the link-local range (169.254.0.0/16, fe80::/10)', '169.254.0.0/16', 'fe80::/10'],
  ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)', '224.0.0.0/24', 'ff02::/16'],
];

/** Upstream `ValidateEndpointIP`: nothing that leads back to the machine itself. */
export function validateEndpointIP(text: string, field: string, errors: Errors): void {
  const address = parseLegacyAddress(text);
  if (!address) {
    errors.push(invalidValue(field, text, 'must be a valid IP address'));
    return;
  }
  if (address.bits === 0n) errors.push(invalidValue(field, text, `may not be unspecified (${text})`));
  for (const [why, ...ranges] of specialRanges) {
    if (ranges.some((range) => inCidr(address, parseCidr(range) as AddressRange))) errors.push(invalidValue(field, text, why));
  }
}
