/**
 * Kubernetes quantities, exact. A quantity is a decimal number with a suffix; the suffix family decides how its canonical
 * text is written (apimachinery `resource.Quantity`). Values are kept in nano units as BigInt, as upstream's smallest scale.
 */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';
export interface Quantity {
  /** value × 10⁹, rounded away from zero. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
/** More than this in a binary suffix counts as this (upstream's "simple cap"). */
const binaryMax = (2n ** 63n - 1n) * NANO;
const binary: Record<string, bigint> = { Ki: 1n << 10n, Mi: 1n << 20n, Gi: 1n << 30n, Ti: 1n << 40n, Pi: 1n << 50n, Ei: 1n << 60n };
const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** One way to match each text: digits before the point belong to no other part. */
const grammar = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,3}|)$/;

/** Characters of a quantity. Big numbers cost more than their length; upstream sets no bound but that of the body. */
export const quantityCharactersMax = 1_024;

/** The text as a quantity, or undefined when it is none. Numbers are read as their decimal text. */
export function parseQuantity(input: unknown): Quantity | undefined {
  const text = typeof input === 'number' ? String(input) : input;
  if (typeof text !== 'string' || text.length > quantityCharactersMax) return undefined;
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [, sign, digits, suffix] = match as unknown as [string, string, string, string];
  const [whole = '', fraction = ''] = digits.split('.');
  const mantissa = BigInt(`${whole}${fraction}` || '0');
  let format: QuantityFormat = 'DecimalSI';
  let numerator = mantissa * NANO;
  let denominator = 10n ** BigInt(fraction.length);
  const factor = binary[suffix];
  if (factor !== undefined) {
    format = 'BinarySI';
    numerator *= factor;
  } else {
    const exponent = decimal[suffix] ?? Number(suffix.slice(1));
    if (decimal[suffix] === undefined) format = 'DecimalExponent';
    if (exponent >= 0) numerator *= 10n ** BigInt(exponent);
    else denominator *= 10n ** BigInt(-exponent);
  }
  let rounded = (numerator + denominator - 1n) / denominator;
  if (format === 'BinarySI' && rounded > binaryMax) rounded = binaryMax;
  return { nano: sign === '-' ? -rounded : rounded, format };
}

const decimalSuffixes: [bigint, string][] = [
  [10n ** 27n, 'E'],
  [10n ** 24n, 'P'],
  [10n ** 21n, 'T'],
  [10n ** 18n, 'G'],
  [10n ** 15n, 'M'],
  [10n ** 12n, 'k'],
  [10n ** 9n, ''],
  [10n ** 6n, 'm'],
  [10n ** 3n, 'u'],
  [1n, 'n'],
];

/** Canonical text: the largest suffix of the family that needs no fraction. */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const absolute = nano < 0n ? -nano : nano;
  // Below 1024, or with a fraction, a binary quantity is written in the decimal family (upstream's CanonicalizeBytes).
  if (format === 'BinarySI' && absolute >= 1024n * NANO && absolute % NANO === 0n) {
    let value = nano / NANO;
    let suffix = '';
    for (const candidate of Object.keys(binary)) {
      if (value % 1024n !== 0n) break;
      value /= 1024n;
      suffix = candidate;
    }
    return `${value}${suffix}`;
  }
  if (format === 'DecimalExponent') return formatWithExponent(nano);
  for (const [unit, suffix] of decimalSuffixes) if (absolute % unit === 0n) return `${nano / unit}${suffix}`;
  return String(nano);
}

/** Exponents are multiples of three, and have no largest one. */
function formatWithExponent(nano: bigint): string {
  const digits = String(nano);
  const thousands = Math.floor((digits.length - digits.replace(/0+$/, '').length) / 3);
  const exponent = 3 * thousands - 9;
  return `${digits.slice(0, digits.length - 3 * thousands)}${exponent === 0 ? '' : `e${exponent}`}`;
}

/**
 * A quantity as upstream writes it again: canonical, but that it keeps the text of one that it takes for canonical at first sight, such as `3.`,
 * `+5` or `1.500`.
 */
export function quantityText(input: unknown): string | undefined {
  const text = typeof input === 'number' ? String(input) : input;
  return typeof text === 'string' && isKept(text) ? text : canonicalQuantity(input);
}

/** Digits that upstream reads in the quick way. */
const quickDigitsMax = 18;

function isKept(text: string): boolean {
  const match = text.length > quantityCharactersMax ? null : grammar.exec(text);
  if (!match) return false;
  const [, , digits = '', suffix = ''] = match as unknown as string[];
  const [given = '', fraction = ''] = digits.split('.');
  const whole = given.replace(/^0+/, '') || '0';
  const shift = decimal[suffix] ?? (/^[eE]/.test(suffix) ? Number(suffix.slice(1)) : undefined);
  if (shift === undefined) {
    // Of binary ones only those without a fraction, whose number no larger unit may divide.
    const bits = 10 * (Object.keys(binary).indexOf(suffix) + 1);
    return fraction === '' && 14 - whole.length - Math.trunc((bits * 3) / 10) >= 0 && (BigInt(whole) & 7n) !== 0n;
  }
  const shifted = `${whole}${fraction}`;
  const scale = shift - fraction.length;
  return shifted.length <= quickDigitsMax && scale >= -9 && scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
}

export function canonicalQuantity(input: unknown): string | undefined {
  const quantity = parseQuantity(input);
  return quantity && formatQuantity(quantity);
}

/** A sum is written as its first part is, unless that is zero (upstream `Quantity.Add`). */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

function ceilDiv(value: bigint, unit: bigint): bigint {
  const quotient = value / unit;
  return value % unit !== 0n && value > 0n ? quotient + 1n : quotient;
}

const wholeCache = new Map<string, number>();
const milliCache = new Map<string, number>();
const cacheMax = 4096;

function cached(cache: Map<string, number>, input: unknown, unit: bigint): number {
  const key = typeof input === 'string' ? input : String(input);
  if (key.length > quantityCharactersMax) return 0;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const quantity = parseQuantity(input);
  const value = quantity ? Number(ceilDiv(quantity.nano, unit)) : 0;
  if (cache.size >= cacheMax) cache.clear();
  cache.set(key, value);
  return value;
}

/** Whole units, rounded up (upstream `Value()`); 0 for what is no quantity. */
export function quantityValue(input: unknown): number {
  return input === undefined ? 0 : cached(wholeCache, input, NANO);
}

/** Thousandths, rounded up (upstream `MilliValue()`). */
export function quantityMilli(input: unknown): number {
  return input === undefined ? 0 : cached(milliCache, input, 1_000_000n);
}
