import { parseGoDuration } from '../values/durations';
import { parseTimestamp } from '../values/timestamps';
import { Duration, EvaluationError, Timestamp, type Value } from '../values/value';

/** A text by the format of its schema: formats that are more than a check have values of their own. @throws EvaluationError */
export function readText(text: string, format: string | undefined): Value {
  switch (format) {
    case 'duration': {
      const nanos = parseDurationText(text);
      if (nanos === undefined) throw new EvaluationError(`Invalid duration ${text}: unable to parse ${text} as duration`);
      return new Duration(nanos);
    }
    case 'date': {
      const at = parseTimestamp(`${text}T00:00:00Z`);
      if (!at) throw new EvaluationError(`Invalid date formatted string ${text}`);
      return at;
    }
    case 'date-time': {
      const at = text === '' ? new Timestamp(0n) : (parseTimestamp(text) ?? parseTimestamp(`${text}Z`));
      if (!at) throw new EvaluationError(`Invalid date-time formatted string ${text}`);
      return at;
    }
    case 'byte':
      return decodeBase64Url(text);
    default:
      return text;
  }
}

const second = 1_000_000_000n;
/** Short name, then the name that longer ones begin with. */
const units: readonly (readonly [bigint, ...string[]])[] = [
  [1n, 'ns', 'nano'],
  [1_000n, 'us', 'µs', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [second, 's', 'sec'],
  [60n * second, 'm', 'min'],
  [3_600n * second, 'h', 'hr', 'hour'],
  [86_400n * second, 'd', 'day'],
  [604_800n * second, 'w', 'wk', 'week'],
];

/** Go's durations, and words: `2 weeks`, `1day 3hours`. In nanoseconds; undefined for anything else. */
export function parseDurationText(text: string): bigint | undefined {
  const exact = parseGoDuration(text);
  if (exact !== undefined) return exact;
  let nanos: bigint | undefined;
  for (const [, amount = '', word = ''] of text.matchAll(/(\d{1,18})\s*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase();
    for (const [size, ...names] of units) {
      const isMeant = names.some((name, index) => name === unit || (index === names.length - 1 && unit.startsWith(name)));
      if (isMeant) nanos = (nanos ?? 0n) + BigInt(amount) * size;
    }
  }
  return nanos === undefined ? undefined : BigInt.asIntN(64, nanos);
}

/** The alphabet for URLs, with its padding: upstream reads this one here, though it checks the other. */
function decodeBase64Url(text: string): Uint8Array {
  const plain = text.replaceAll(/[\r\n]/g, '');
  const bad = badBase64At(plain);
  if (bad !== undefined) throw new EvaluationError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${bad}`);
  const binary = atob(plain.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Where a decoder of groups of four stops; undefined: nowhere. */
function badBase64At(text: string): number | undefined {
  const stop = /[^A-Za-z0-9_-]/.exec(text)?.index ?? text.length;
  const padding = text.slice(stop);
  const missing = (4 - (stop % 4)) % 4;
  if (padding === '=='.slice(0, missing) && missing < 3) return undefined;
  // Within a group padding may stand only where two characters are before it.
  if (padding === '') return stop - (stop % 4);
  return padding.startsWith('=') && missing > 0 && missing < 3 ? Math.min(text.length, stop + missing) : stop;
}
