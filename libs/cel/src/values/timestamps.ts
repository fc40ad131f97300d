import { duration } from './durations';
import { EvaluationError, Timestamp, type Duration } from './value';

const second = 1_000_000_000n;
const secondsMin = -62_135_596_800n;
const secondsMax = 253_402_300_799n;

const grammar = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,40}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** RFC 3339 as Go parses it, in nanoseconds; undefined for anything else. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [year, month, day, hours, minutes, seconds] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const offsetHours = Number(match[9] ?? 0);
  const offsetRest = Number(match[10] ?? 0);
  if (offsetHours > 24 || offsetRest > 60) return undefined;
  const offset = (offsetHours * 60 + offsetRest) * (match[8] === '-' ? -1 : 1);
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hours, minutes - offset, seconds);
  const fraction = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return new Timestamp(BigInt(at.getTime()) * 1_000_000n + fraction, offset);
}

function daysIn(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}

/** @throws EvaluationError outside the years 1 to 9999 */
export function timestamp(nanos: bigint, offsetMinutes = 0): Timestamp {
  const seconds = floorDiv(nanos, second);
  if (seconds < secondsMin || seconds > secondsMax) throw new EvaluationError('timestamp overflow');
  return new Timestamp(nanos, offsetMinutes);
}

export function secondsSinceEpoch({ nanos }: Timestamp): bigint {
  return floorDiv(nanos, second);
}

export function addDuration({ nanos, offsetMinutes }: Timestamp, { nanos: added }: Duration): Timestamp {
  return timestamp(nanos + added, offsetMinutes);
}

export function between(later: Timestamp, earlier: Timestamp): Duration {
  return duration(later.nanos - earlier.nanos);
}

/** RFC 3339 with as many digits of a second as it has, in the zone it was written in. */
export function formatTimestamp({ nanos, offsetMinutes }: Timestamp): string {
  const shifted = nanos + BigInt(offsetMinutes) * 60n * second;
  const seconds = floorDiv(shifted, second);
  const rest = shifted - seconds * second;
  const text = isoOf(seconds);
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`;
  if (offsetMinutes === 0) return `${text}${fraction}Z`;
  const minutes = Math.abs(offsetMinutes);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${text}${fraction}${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function isoOf(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
}

/** What a clock in the zone shows: fields as in UTC, and the milliseconds. */
export function inZone({ nanos }: Timestamp, zone: string): Date {
  const ms = Number(floorDiv(nanos, 1_000_000n));
  return new Date(ms + offsetIn(zone, ms) * 60_000);
}

/** Minutes east of UTC: `+05:30`, an IANA name, nothing (UTC). @throws EvaluationError for unknown zones */
function offsetIn(zone: string, ms: number): number {
  const colon = zone.indexOf(':');
  if (colon >= 0) {
    const [hours, minutes] = [wholeOrThrow(zone.slice(0, colon)), wholeOrThrow(zone.slice(colon + 1))];
    return zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes;
  }
  if (zone === '' || zone === 'UTC' || zone === 'Local') return 0;
  return ianaOffset(zone, ms);
}

function wholeOrThrow(text: string): number {
  if (/^[+-]?\d{1,9}$/.test(text)) return Number(text);
  throw new EvaluationError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function ianaOffset(zone: string, ms: number): number {
  let format = formats.get(zone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
      }); // prettier-ignore
    } catch {
      throw new EvaluationError(`unknown time zone ${zone}`);
    }
    if (formats.size > 100) formats.clear();
    formats.set(zone, format);
  }
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const shown = Date.UTC(part['year'] as number, (part['month'] as number) - 1, part['day'], part['hour'], part['minute'], part['second']);
  return Math.round((shown - Math.floor(ms / 1000) * 1000) / 60_000);
}

/** Day of the year, from 0. */
export function dayOfYear(date: Date): number {
  return Math.floor(
    (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000,
  );
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}
