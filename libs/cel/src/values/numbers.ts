import { EvaluationError, Uint } from './value';

export const intOverflow = (): EvaluationError => new EvaluationError('integer overflow');
export const uintOverflow = (): EvaluationError => new EvaluationError('unsigned integer overflow');

/** @throws EvaluationError beyond 64 bits */
export function int64(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw intOverflow();
  return value;
}

/** @throws EvaluationError beyond 64 bits */
export function uint64(value: bigint): Uint {
  if (BigInt.asUintN(64, value) !== value) throw uintOverflow();
  return new Uint(value);
}

/** Cut off towards zero. @throws EvaluationError beyond what an int holds */
export function doubleToInt(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw intOverflow();
  return BigInt(Math.trunc(value));
}

/** Cut off towards zero. @throws EvaluationError beyond what a uint holds */
export function doubleToUint(value: number): Uint {
  if (!(value >= 0 && value < 2 ** 64)) throw uintOverflow();
  return new Uint(BigInt(Math.trunc(value)));
}

/** A double as Go's `%g` writes it: shortest digits, an exponent from seven digits before the point or below 0.0001 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return plainDouble(value);
  const digits = Math.abs(exponent) < 10 ? `0${Math.abs(exponent)}` : String(Math.abs(exponent));
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}

/** Without an exponent, as few digits as tell the value. */
export function plainDouble(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const [mantissa, exponent] = text.split('e') as [string, string];
  const isNegative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  const shown =
    point <= 0
      ? `0.${'0'.repeat(-point)}${digits}`
      : point >= digits.length
        ? digits.padEnd(point, '0')
        : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return isNegative ? `-${shown}` : shown;
}

/** Digits after the point rounded half to even, of the exact value: JavaScript rounds halves away from zero. */
export function fixedDouble(value: number, digits: number): string {
  const isNegative = value < 0 || Object.is(value, -0);
  const [numerator, denominator] = fractionOf(Math.abs(value));
  const scaled = numerator * 10n ** BigInt(digits);
  const whole = scaled / denominator;
  const doubledRest = (scaled % denominator) * 2n;
  const isUp = doubledRest > denominator || (doubledRest === denominator && whole % 2n === 1n);
  const text = String(isUp ? whole + 1n : whole).padStart(digits + 1, '0');
  const point = text.length - digits;
  return `${isNegative ? '-' : ''}${text.slice(0, point)}${digits === 0 ? '' : `.${text.slice(point)}`}`;
}

/** A finite double that is not negative, as what it is exactly. */
function fractionOf(value: number): [bigint, bigint] {
  let denominator = 1n;
  let rest = value;
  while (!Number.isInteger(rest)) {
    rest *= 2;
    denominator *= 2n;
  }
  return [BigInt(rest), denominator];
}

/** What Go's ParseFloat takes. */
export function parseDouble(text: string): number | undefined {
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F]{0,40})(?:\.([0-9a-fA-F]{0,40}))?[pP]([+-]?\d{1,6})$/.exec(text);
  if (hexadecimal) return hexadecimalDouble(hexadecimal.slice(1));
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function hexadecimalDouble([sign, whole = '', fraction = '', exponent]: readonly (string | undefined)[]): number | undefined {
  if (whole + fraction === '') return undefined;
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return Number.isFinite(value) ? (sign === '-' ? -value : value) : undefined;
}

/** What Go's ParseInt and ParseUint take with base 10. */
export function parseWhole(text: string, isSigned: boolean): bigint | undefined {
  if (!(isSigned ? /^[+-]?\d{1,40}$/ : /^\d{1,40}$/).test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  const fits = isSigned ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value;
  return fits ? value : undefined;
}
