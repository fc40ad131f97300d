import { define, defineAnswered, member, overload, type FunctionDecl, type Overload } from '../types/functions';
import {
  boolType, bytesType, doubleType, durationType, dynType, intType, listOf, mapOf, paramType, stringType, timestampType, typeOf, uintType,
  type Type, type TypeKind,
} from '../types/type'; // prettier-ignore
import { formatDuration, parseGoDuration } from '../values/durations';
import { doubleToInt, doubleToUint, formatDouble, int64, parseDouble, parseWhole, uint64, uintOverflow } from '../values/numbers';
import { dayOfYear, formatTimestamp, inZone, parseTimestamp, secondsSinceEpoch, timestamp } from '../values/timestamps';
import { Duration, EvaluationError, ListValue, MapValue, Timestamp, typeOfValue, Uint, type Value } from '../values/value';
import { codePointsOf } from './code-points';
import { compiledRegex } from './regex';

const A = paramType('A');
const B = paramType('B');

const conversionError = (from: Type, to: Type): EvaluationError =>
  new EvaluationError(`type conversion error from '${from.name}' to '${to.name}'`);

/** What was read, or that the text is none of the type. */
function converted<T>(read: T | undefined, to: Type): T {
  if (read === undefined) throw conversionError(stringType, to);
  return read;
}

const same = <T extends Value>(value: T): T => value;

const truths: Readonly<Record<string, boolean>> = {
  '1': true, t: true, T: true, true: true, TRUE: true, True: true, '0': false, f: false, F: false, false: false, FALSE: false, False: false,
}; // prettier-ignore

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const second = 1_000_000_000n;

const conversions: FunctionDecl[] = [
  define(
    'type',
    overload('type', [A], typeOf(A), (value: Value) => typeOfValue(value)),
  ),
  define('dyn', overload('to_dyn', [A], dynType, same)),
  define(
    'bool',
    overload('bool_to_bool', [boolType], boolType, same),
    overload('string_to_bool', [stringType], boolType, (text: string) => converted(truths[text], boolType)),
  ),
  define(
    'bytes',
    overload('bytes_to_bytes', [bytesType], bytesType, same),
    overload('string_to_bytes', [stringType], bytesType, (text: string) => new TextEncoder().encode(text)),
  ),
  define(
    'double',
    overload('double_to_double', [doubleType], doubleType, same),
    overload('int64_to_double', [intType], doubleType, (value: bigint) => Number(value)),
    overload('string_to_double', [stringType], doubleType, (text: string) => converted(parseDouble(text), doubleType)),
    overload('uint64_to_double', [uintType], doubleType, ({ value }: Uint) => Number(value)),
  ),
  define(
    'duration',
    overload('duration_to_duration', [durationType], durationType, same),
    overload('int64_to_duration', [intType], durationType, () => {
      throw conversionError(intType, durationType);
    }),
    overload(
      'string_to_duration',
      [stringType],
      durationType,
      (text: string) => new Duration(converted(parseGoDuration(text), durationType)),
    ),
  ),
  define(
    'int',
    overload('int64_to_int64', [intType], intType, same),
    overload('double_to_int64', [doubleType], intType, doubleToInt),
    overload('duration_to_int64', [durationType], intType, ({ nanos }: Duration) => nanos),
    overload('string_to_int64', [stringType], intType, (text: string) => converted(parseWhole(text, true), intType)),
    overload('timestamp_to_int64', [timestampType], intType, secondsSinceEpoch),
    overload('uint64_to_int64', [uintType], intType, ({ value }: Uint) => int64(value)),
  ),
  define(
    'string',
    overload('string_to_string', [stringType], stringType, same),
    overload('bool_to_string', [boolType], stringType, String),
    overload('bytes_to_string', [bytesType], stringType, toText),
    overload('double_to_string', [doubleType], stringType, formatDouble),
    overload('duration_to_string', [durationType], stringType, formatDuration),
    overload('int64_to_string', [intType], stringType, String),
    overload('timestamp_to_string', [timestampType], stringType, formatTimestamp),
    overload('uint64_to_string', [uintType], stringType, ({ value }: Uint) => String(value)),
  ),
  define(
    'timestamp',
    overload('timestamp_to_timestamp', [timestampType], timestampType, same),
    overload('int64_to_timestamp', [intType], timestampType, (seconds: bigint) => timestamp(seconds * second)),
    overload('string_to_timestamp', [stringType], timestampType, (text: string) => {
      const read = converted(parseTimestamp(text), timestampType);
      return timestamp(read.nanos, read.offsetMinutes);
    }),
  ),
  define(
    'uint',
    overload('uint64_to_uint64', [uintType], uintType, same),
    overload('double_to_uint64', [doubleType], uintType, doubleToUint),
    overload('int64_to_uint64', [intType], uintType, (value: bigint) => {
      if (value < 0n) throw uintOverflow();
      return uint64(value);
    }),
    overload('string_to_uint64', [stringType], uintType, (text: string) => new Uint(converted(parseWhole(text, false), uintType))),
  ),
];

/** As a function and as a member. */
function size(id: string, type: Type, run: Overload['run']): Overload[] {
  return [overload(`size_${id}`, [type], intType, run), member(`${id}_size`, [type], intType, run)];
}

const matches = (text: string, pattern: string): boolean => compiledRegex(pattern).test(text);

/** Texts answer for whatever they are asked. */
const anyKind: readonly TypeKind[] = ['null', 'bool', 'int', 'uint', 'double', 'string', 'bytes', 'duration', 'timestamp', 'list', 'map'];

const texts: FunctionDecl[] = [
  defineAnswered(
    'size',
    ['string', 'bytes', 'list', 'map'],
    ...size('bytes', bytesType, (bytes: Uint8Array) => BigInt(bytes.length)),
    ...size('list', listOf(A), (list: ListValue) => BigInt(list.size)),
    ...size('map', mapOf(A, B), (map: MapValue) => BigInt(map.size)),
    ...size('string', stringType, (text: string) => BigInt(codePointsOf(text).length)),
  ),
  defineAnswered(
    'contains',
    anyKind,
    member('contains_string', [stringType, stringType], boolType, (text: string, part: string) => text.includes(part)),
  ),
  defineAnswered(
    'endsWith',
    anyKind,
    member('ends_with_string', [stringType, stringType], boolType, (text: string, end: string) => text.endsWith(end)),
  ),
  defineAnswered(
    'startsWith',
    anyKind,
    member('starts_with_string', [stringType, stringType], boolType, (text: string, start: string) => text.startsWith(start)),
  ),
  defineAnswered(
    'matches',
    ['string'],
    overload('matches', [stringType, stringType], boolType, matches),
    member('matches_string', [stringType, stringType], boolType, matches),
  ),
];

/** A field of a timestamp, in UTC or in the zone named; of a duration too where `ofDuration` says how many nanoseconds make one. */
function timeField(name: string, id: string, read: (date: Date) => number, ofDuration?: bigint): FunctionDecl {
  const overloads = [
    member(`timestamp_to_${id}`, [timestampType], intType, (at: Timestamp) => BigInt(read(inZone(at, 'UTC')))),
    member(`timestamp_to_${id}_with_tz`, [timestampType, stringType], intType, (at: Timestamp, zone: string) =>
      BigInt(read(inZone(at, zone))),
    ),
  ];
  if (ofDuration !== undefined) {
    overloads.push(member(`duration_to_${id}`, [durationType], intType, ({ nanos }: Duration) => nanos / ofDuration));
  }
  return define(name, ...overloads);
}

const times: FunctionDecl[] = [
  timeField('getFullYear', 'year', (date) => date.getUTCFullYear()),
  timeField('getMonth', 'month', (date) => date.getUTCMonth()),
  timeField('getDayOfYear', 'day_of_year', dayOfYear),
  timeField('getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1),
  timeField('getDate', 'day_of_month_1_based', (date) => date.getUTCDate()),
  timeField('getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()),
  timeField('getHours', 'hours', (date) => date.getUTCHours(), 3_600n * second),
  timeField('getMinutes', 'minutes', (date) => date.getUTCMinutes(), 60n * second),
  timeField('getSeconds', 'seconds', (date) => date.getUTCSeconds(), second),
  timeField('getMilliseconds', 'milliseconds', (date) => date.getUTCMilliseconds(), 1_000_000n),
];

export const standardFunctions: readonly FunctionDecl[] = [...conversions, ...texts, ...times];
