import { Type } from '../types/type';
import {
  Duration, EvaluationError, ExtensionValue, ListValue, MapValue, noSuchOverload, Optional, Timestamp, Uint, type Value,
} from './value'; // prettier-ignore

const int64Max = 2 ** 63;
const uint64Max = 2 ** 64;

/** `a == b`: values of different types are unequal, numbers compare by what they are worth. */
export function isEqual(a: Value, b: Value): boolean {
  if (isNumber(a) && isNumber(b)) return !Number.isNaN(a) && !Number.isNaN(b) && compareNumbers(a, b) === 0;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (a instanceof ListValue) return b instanceof ListValue && (a.equals(b) ?? areListsEqual(a, b));
  if (a instanceof MapValue) return b instanceof MapValue && areMapsEqual(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Optional) return b instanceof Optional && areOptionalsEqual(a, b);
  if (a instanceof Type) return b instanceof Type && a.name === b.name;
  if (a instanceof ExtensionValue) return b instanceof ExtensionValue && a.type === b.type && a.equals(b);
  return a instanceof Uint8Array && b instanceof Uint8Array && compareBytes(a, b) === 0;
}

/** -1, 0 or 1. @throws EvaluationError of values that have no order */
export function compare(a: Value, b: Value): number {
  if (isNumber(a) && isNumber(b)) {
    if (Number.isNaN(a) || Number.isNaN(b)) throw new EvaluationError('NaN values cannot be ordered');
    return compareNumbers(a, b);
  }
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return sign(Number(a), Number(b));
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw noSuchOverload();
}

type NumberValue = bigint | number | Uint;

function isNumber(value: Value): value is NumberValue {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

function sign<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Between a whole number and a double: as doubles, unless the double is out of the other's range. */
function compareNumbers(a: NumberValue, b: NumberValue): number {
  if (typeof a === 'number') return typeof b === 'number' ? sign(a, b) : compareDouble(a, b);
  if (typeof b === 'number') return -compareDouble(b, a);
  return sign(a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b);
}

function compareDouble(double: number, whole: bigint | Uint): number {
  const isUint = whole instanceof Uint;
  if (double < (isUint ? 0 : -int64Max)) return -1;
  if (double > (isUint ? uint64Max : int64Max)) return 1;
  return sign(double, Number(isUint ? whole.value : whole));
}

/** By code points, which is also the order of UTF-8. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  let index = 0;
  while (index < a.length && index < b.length && a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  const isInPair = index > 0 && (a.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  const from = isInPair ? index - 1 : index;
  return sign(a.codePointAt(from) ?? -1, b.codePointAt(from) ?? -1);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const order = sign(a[index] as number, b[index] as number);
    if (order !== 0) return order;
  }
  return sign(a.length, b.length);
}

function areListsEqual(a: ListValue, b: ListValue): boolean {
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index += 1) if (!isEqual(a.at(index), b.at(index))) return false;
  return true;
}

function areMapsEqual(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.find(key);
    if (other === undefined || !isEqual(a.find(key) as Value, other)) return false;
  }
  return true;
}

function areOptionalsEqual(a: Optional, b: Optional): boolean {
  if (!a.hasValue || !b.hasValue) return a.hasValue === b.hasValue;
  return isEqual(a.value, b.value);
}
