import { Type } from '../types/type';
import { formatDuration } from '../values/durations';
import { fixedDouble, formatDouble } from '../values/numbers';
import { formatTimestamp } from '../values/timestamps';
import { Duration, EvaluationError, ListValue, MapValue, Timestamp, typeOfValue, Uint, type Value } from '../values/value';
import { fillClauses, FormatError, wrongType, type Clause } from './format-clauses';

/** `'%s is %d'.format([...])`. @throws EvaluationError */
export function formatText(format: string, args: ListValue): string {
  try {
    return fillClauses(format, args.size, (clause, index) => clauseText(clause, args.at(index)));
  } catch (error) {
    if (error instanceof FormatError) throw new EvaluationError(error.message);
    throw error;
  }
}

function clauseText(clause: Clause, value: Value): string {
  const text = texts[clause.verb](value, clause.precision);
  if (text === undefined) throw new FormatError(`${wrongType[clause.verb]} ${typeOfValue(value).name}`);
  return text;
}

type Text = (value: Value, precision: number) => string | undefined;

const texts: Readonly<Record<Clause['verb'], Text>> = {
  s: (value) => stringClause(value),
  d: (value) => wholeOf(value)?.toString(),
  f: (value, precision) => doubleClause(value, (double) => grouped(fixedDouble(double, precision))),
  e: (value, precision) => doubleClause(value, (double) => scientific(double, precision)),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : wholeOf(value)?.toString(2)),
  x: (value) => hexOf(value),
  X: (value) => hexOf(value)?.toUpperCase(),
  o: (value) => wholeOf(value)?.toString(8),
};

function wholeOf(value: Value): bigint | undefined {
  return typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;
}

function hexOf(value: Value): string | undefined {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return wholeOf(value)?.toString(16);
}

const special: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity };

function doubleClause(value: Value, write: (double: number) => string): string | undefined {
  const double = typeof value === 'string' && Object.hasOwn(special, value) ? special[value] : value;
  if (typeof double !== 'number') return undefined;
  if (Number.isNaN(double)) return 'NaN';
  if (!Number.isFinite(double)) return double > 0 ? '∞' : '-∞';
  return write(double);
}

/** Thousands apart, as in American English: so Go's printer of messages writes numbers. */
function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

const superscript: Readonly<Record<string, string>> = {
  '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹', '-': '⁻',
}; // prettier-ignore

function scientific(double: number, precision: number): string {
  const [mantissa = '', exponent = ''] = double.toExponential(Math.min(precision, 100)).split('e');
  const digits = Math.abs(Number(exponent));
  const written = `${Number(exponent) < 0 ? '-' : ''}${String(digits).padStart(2, '0')}`;
  return `${mantissa}×10${[...written].map((digit) => superscript[digit]).join('')}`;
}

function stringClause(value: Value): string | undefined {
  if (value instanceof ListValue) return `[${Array.from(value, (item) => inCollection(item)).join(', ')}]`;
  if (value instanceof MapValue) return mapText(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  return plainText(value);
}

function plainText(value: Value): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'number') return formatDouble(value);
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Type) return value.name;
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined;
}

/** Within lists and maps texts are quoted, and doubles have six digits. */
function inCollection(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? fixedDouble(value, 6) : JSON.stringify(Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');
  if (value instanceof Uint8Array) return `b${JSON.stringify(new TextDecoder().decode(value))}`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(formatTimestamp(value))})`;
  if (value instanceof Duration) return `duration(${JSON.stringify(formatDuration(value))})`;
  const text = stringClause(value);
  if (text === undefined) throw new FormatError(`no formatting function for ${typeOfValue(value).name}`);
  return text;
}

function mapText(map: MapValue): string {
  const entries = Array.from(map.keys(), (key) => {
    if (typeof key === 'number') throw new FormatError('no formatting function for map key of type double');
    return [inCollection(key), inCollection(map.find(key) as Value)] as const;
  });
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
