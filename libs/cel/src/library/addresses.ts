import { formatAddress, inCidr, parseAddress, parseCidr, type Address } from '#libs/kernel';
import { define, member, overload, type FunctionDecl } from '../types/functions';
import { boolType, intType, opaqueType, stringType } from '../types/type';
import { EvaluationError, ExtensionValue, noSuchOverload } from '../values/value';
import { addressProblem, prefixProblem } from './address-problems';

export const ipType = opaqueType('net.IP');
export const cidrType = opaqueType('net.CIDR');

class IpValue extends ExtensionValue {
  readonly type = ipType;
  constructor(readonly address: Address) {
    super();
  }
  equals({ address }: IpValue): boolean {
    return this.address.family === address.family && this.address.bits === address.bits;
  }
}

class CidrValue extends ExtensionValue {
  readonly type = cidrType;
  constructor(
    readonly ip: IpValue,
    readonly prefix: number,
  ) {
    super();
  }
  get range(): Address & { prefix: number } {
    return { ...this.ip.address, prefix: this.prefix };
  }
  equals({ ip, prefix }: CidrValue): boolean {
    return this.prefix === prefix && this.ip.equals(ip);
  }
}

/** No IPv4 address in the dress of an IPv6 one: those are refused. */
const isMapped = ({ family, bits }: Address): boolean => family === 6 && bits >> 32n === 0xffffn;

function readIp(text: string): IpValue | undefined {
  const address = parseAddress(text);
  return address && !isMapped(address) ? new IpValue(address) : undefined;
}

function ip(text: string): IpValue {
  const value = readIp(text);
  if (!value) throw new EvaluationError(ipProblem(text));
  return value;
}

function ipProblem(text: string): string {
  const quoted = JSON.stringify(text);
  const [plain = '', zone] = text.split(/%(.*)/s);
  if (zone && parseAddress(plain)?.family === 6) return `IP address ${quoted} with zone value is not allowed`;
  if (parseAddress(text)) return `IPv4-mapped IPv6 address ${quoted} is not allowed`;
  return `IP Address ${quoted} parse error during conversion from string: ${addressProblem(text)}`;
}

function cidrProblem(text: string): string {
  const telling = 'network address parse error during conversion from string: ';
  return parseCidr(text) && !/\/0\d/.test(text)
    ? `${telling}IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`
    : telling + telling + prefixProblem(text);
}

function readCidr(text: string): CidrValue | undefined {
  if (/\/0\d/.test(text)) return undefined;
  const range = parseCidr(text);
  return range && !isMapped(range) ? new CidrValue(new IpValue({ family: range.family, bits: range.bits }), range.prefix) : undefined;
}

function cidr(text: string): CidrValue {
  const value = readCidr(text);
  if (!value) throw new EvaluationError(cidrProblem(text));
  return value;
}

const widthOf = ({ family }: Address): number => (family === 4 ? 32 : 128);

function masked({ ip: { address }, prefix }: CidrValue): CidrValue {
  const shift = BigInt(widthOf(address) - prefix);
  return new CidrValue(new IpValue({ family: address.family, bits: (address.bits >> shift) << shift }), prefix);
}

/** Whether the first bits of an address are these: ranges of IPv4, and of IPv6. */
function isIn(four: string, six: string): (value: IpValue) => boolean {
  const ranges = [four, six].map((text) => parseCidr(text) as Address & { prefix: number });
  return ({ address }) => ranges.some((range) => inCidr(address, range));
}
const isUnspecified = isIn('0.0.0.0/32', '::/128');
const isLoopback = isIn('127.0.0.0/8', '::1/128');
const isMulticast = isIn('224.0.0.0/4', 'ff00::/8');
const isLinkLocalUnicast = isIn('169.254.0.0/16', 'fe80::/10');
const isBroadcast = isIn('255.255.255.255/32', '255.255.255.255/32');
const isLinkLocalMulticast = ({ address: { family, bits } }: IpValue): boolean =>
  family === 4 ? bits >> 8n === 0xe00000n : ((bits >> 112n) & 0xff0fn) === 0xff02n;
const isGlobalUnicast = (value: IpValue): boolean =>
  ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast, isBroadcast].some((test) => test(value));

const containsIp = (range: CidrValue, { address }: IpValue): boolean => inCidr(address, range.range);
const containsCidr = (range: CidrValue, other: CidrValue): boolean => range.prefix <= other.prefix && inCidr(other.ip.address, range.range);

/** A text that is no address is not called one. */
function containsIpText(range: CidrValue, text: string): boolean {
  const value = readIp(text);
  if (!value) throw noSuchOverload();
  return containsIp(range, value);
}

export const addressFunctions: readonly FunctionDecl[] = [
  define(
    'ip',
    overload('string_to_ip', [stringType], ipType, ip),
    member('cidr_ip', [cidrType], ipType, (range: CidrValue) => range.ip),
  ),
  define(
    'family',
    member('ip_family', [ipType], intType, ({ address }: IpValue) => BigInt(address.family)),
  ),
  define(
    'ip.isCanonical',
    overload('ip_is_canonical', [stringType], boolType, (text: string) => formatAddress(ip(text).address) === text),
  ),
  define('isUnspecified', member('ip_is_unspecified', [ipType], boolType, isUnspecified)),
  define('isLoopback', member('ip_is_loopback', [ipType], boolType, isLoopback)),
  define('isLinkLocalMulticast', member('ip_is_link_local_multicast', [ipType], boolType, isLinkLocalMulticast)),
  define('isLinkLocalUnicast', member('ip_is_link_local_unicast', [ipType], boolType, isLinkLocalUnicast)),
  define('isGlobalUnicast', member('ip_is_global_unicast', [ipType], boolType, isGlobalUnicast)),
  define(
    'isIP',
    overload('is_ip', [stringType], boolType, (text: string) => readIp(text) !== undefined),
  ),
  define('cidr', overload('string_to_cidr', [stringType], cidrType, cidr)),
  define(
    'containsIP',
    member('cidr_contains_ip_string', [cidrType, stringType], boolType, containsIpText),
    member('cidr_contains_ip_ip', [cidrType, ipType], boolType, containsIp),
  ),
  define(
    'containsCIDR',
    member('cidr_contains_cidr_string', [cidrType, stringType], boolType, (range: CidrValue, text: string) =>
      containsCidr(range, cidr(text)),
    ),
    member('cidr_contains_cidr', [cidrType, cidrType], boolType, containsCidr),
  ),
  define(
    'prefixLength',
    member('cidr_prefix_length', [cidrType], intType, ({ prefix }: CidrValue) => BigInt(prefix)),
  ),
  define('masked', member('cidr_masked', [cidrType], cidrType, masked)),
  define(
    'isCIDR',
    overload('is_cidr', [stringType], boolType, (text: string) => readCidr(text) !== undefined),
  ),
  define(
    'string',
    overload('ip_to_string', [ipType], stringType, ({ address }: IpValue) => formatAddress(address)),
    overload('cidr_to_string', [cidrType], stringType, ({ ip: { address }, prefix }: CidrValue) => `${formatAddress(address)}/${prefix}`),
  ),
];
