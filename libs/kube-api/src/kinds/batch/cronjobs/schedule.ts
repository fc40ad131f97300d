import { goQuote } from '../../../status/go-value';
import { durationProblem } from './go-duration';
import { isTimeZone } from './time-zones';

/** A field of a schedule: its smallest and largest value, and words for some of them. */
interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const every = '@every ';

/** Why a schedule cannot be followed, in the words of the cron library of the recorded release; undefined when it can. */
export function scheduleProblem(text: string): string | undefined {
  const zoned = /^(?:CRON_)?TZ=(\S*)(.*)$/s.exec(text);
  if (!zoned) return unzonedProblem(text);
  const [, zone = '', rest = ''] = zoned;
  if (zone !== '' && zone !== 'Local' && !isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
  return unzonedProblem(rest.trim());
}

function unzonedProblem(text: string): string | undefined {
  if (text.startsWith('@')) return descriptorProblem(text);
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) return `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [index, part] of parts.entries()) {
    for (const range of part.split(',')) {
      const problem = range === '' ? undefined : rangeProblem(range, fields[index] as Field);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const length = text.slice(every.length);
  const problem = durationProblem(length);
  return problem && `failed to parse duration ${length}: ${problem}`;
}

/** `*`, `5`, `1-5`, `mon-fri`, and each with a step behind it. */
function rangeProblem(text: string, { min, max, names }: Field): string | undefined {
  const [span = '', stepText, ...more] = text.split('/');
  const [low = '', high, ...others] = span.split('-');
  let [start, end] = [min, max];
  if (low !== '*' && low !== '?') {
    const first = numberIn(low, min, names);
    if (typeof first !== 'number') return first.error;
    const last = high === undefined ? first : others.length > 0 ? { error: `too many hyphens: ${text}` } : numberIn(high, min, names);
    if (typeof last !== 'number') return last.error;
    [start, end] = [first, last];
  }
  if (more.length > 0) return `too many slashes: ${text}`;
  const step = stepText === undefined ? 1 : numberIn(stepText, min);
  if (typeof step !== 'number') return step.error;
  if (stepText !== undefined && high === undefined) end = max;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

const largest = 2n ** 63n - 1n;

function numberIn(text: string, first: number, names?: readonly string[]): number | { error: string } {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + first;
  const unread = (why: string) => ({ error: `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${why}` });
  if (!/^[+-]?\d+$/.test(text)) return unread('invalid syntax');
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > largest || value < -largest - 1n) return unread('value out of range');
  return value < 0n ? { error: `negative number (${value}) not allowed: ${text}` } : Number(value);
}
