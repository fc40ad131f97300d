import { formatMicroTime, formatTime, quantityCharactersMax, quantityText } from '#libs/kernel';
import { goQuote } from '../status';

/** Thrown where Go's UnmarshalJSON of a type returns an error; the text is Go's. */
export class ScalarError extends Error {}

const secondLayout = '2006-01-02T15:04:05Z07:00';
const microLayout = '2006-01-02T15:04:05.000000Z07:00';

interface LayoutPart {
  readonly shown: string;
  readonly pattern: RegExp;
  readonly name?: string;
  readonly range?: readonly [number, number];
}

const calendarParts: readonly LayoutPart[] = [
  { shown: '2006', pattern: /^\d{4}/ },
  { shown: '-', pattern: /^-/ },
  { shown: '01', pattern: /^\d\d/, name: 'month', range: [1, 12] },
  { shown: '-', pattern: /^-/ },
  { shown: '02', pattern: /^\d\d/, name: 'day', range: [1, 31] },
  { shown: 'T', pattern: /^T/ },
  { shown: '15', pattern: /^\d\d/, name: 'hour', range: [0, 23] },
  { shown: ':', pattern: /^:/ },
  { shown: '04', pattern: /^\d\d/, name: 'minute', range: [0, 59] },
  { shown: ':', pattern: /^:/ },
  { shown: '05', pattern: /^\d\d/, name: 'second', range: [0, 59] },
];

/** Milliseconds since the epoch (with their fraction) of an RFC 3339 text, with the errors of Go's `time.Parse`. */
function parseGoTime(text: string, layout: string): number {
  const head = `parsing time ${goQuote(text)}`;
  const cannot = (rest: string, shown: string): ScalarError =>
    new ScalarError(`${head} as ${goQuote(layout)}: cannot parse ${goQuote(rest)} as ${goQuote(shown)}`);
  const numbers: number[] = [];
  let rest = text;
  let outOfRange: string | undefined;
  for (const part of calendarParts) {
    const match = part.pattern.exec(rest);
    if (!match) throw cannot(rest, part.shown);
    const number = Number(match[0]);
    if (!Number.isNaN(number) && /\d/.test(match[0])) {
      numbers.push(number);
      if (part.range && (number < part.range[0] || number > part.range[1])) outOfRange ??= part.name;
    }
    rest = rest.slice(match[0].length);
  }
  if (outOfRange) throw new ScalarError(`${head}: ${outOfRange} out of range`);
  let fraction = 0;
  const digits = /^[.,](\d+)/.exec(rest);
  if (layout === microLayout) {
    if (!/^\.\d{6}(?!\d)/.test(rest)) throw cannot(rest, '.000000');
    fraction = Number(rest.slice(1, 7)) / 1000;
    rest = rest.slice(7);
  } else if (digits) {
    fraction = Number(`0.${digits[1]}`) * 1000;
    rest = rest.slice(digits[0].length);
  }
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) throw new ScalarError(`${head}: day out of range`);
  const zone = /^(?:Z|([+-])(\d\d):(\d\d))/.exec(rest);
  if (!zone) throw cannot(rest, 'Z07:00');
  if (zone[0].length < rest.length) throw new ScalarError(`${head}: extra text: ${goQuote(rest.slice(zone[0].length))}`);
  const utc = new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  if (!zone[1]) return utc;
  return utc - (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3])) * 60_000;
}

const zeroTimeMs = Date.parse('0001-01-01T00:00:00Z');
const canonicalTime = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** `metav1.Time`: whole seconds, UTC; null for Go's zero time. */
export function readTime(text: string): string | null {
  if (canonicalTime.test(text) && !text.startsWith('0')) return text;
  const ms = parseGoTime(text, secondLayout);
  return ms === zeroTimeMs ? null : formatTime(ms);
}

/** `metav1.MicroTime`: six digits, always. */
export function readMicroTime(text: string): string | null {
  const ms = parseGoTime(text, microLayout);
  if (ms === zeroTimeMs) return null;
  const whole = Math.floor(ms / 1000) * 1000;
  const micros = Math.round((ms - whole) * 1000);
  return `${formatMicroTime(whole).slice(0, 20)}${String(micros).padStart(6, '0')}Z`;
}

const quantityShape = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

const quantities = new Map<string, string>();
/** Canonical texts kept: a cluster's objects use the same few over and over. */
const quantitiesMax = 4096;

/** `resource.Quantity` in canonical form: `1000m` becomes `1`. @throws ScalarError in the words of Go's parser */
export function readQuantity(text: string): string {
  const known = quantities.get(text);
  if (known !== undefined) return known;
  const trimmed = text.trim();
  if (trimmed.length > quantityCharactersMax) throw new ScalarError('unable to parse numeric part of quantity');
  const canonical = quantityText(trimmed);
  if (canonical !== undefined) {
    if (quantities.size >= quantitiesMax) quantities.clear();
    if (text.length <= 32) quantities.set(text, canonical);
    return canonical;
  }
  if (!quantityShape.test(trimmed) || trimmed.split('.').length > 2) {
    throw new ScalarError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  throw new ScalarError("unable to parse quantity's suffix");
}

const canonicalBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

/** Standard base64 as Go decodes it (line breaks skipped, padding wanted), written again in canonical form. */
export function readBytes(text: string): string {
  if (canonicalBase64.test(text)) return text;
  const plain = text.replace(/[\r\n]/g, '');
  const position = (index: number): number => {
    let seen = 0;
    for (let i = 0; i < text.length; i++) {
      if (text[i] === '\r' || text[i] === '\n') continue;
      if (seen++ === index) return i;
    }
    return text.length;
  };
  const corrupt = (index: number): ScalarError => new ScalarError(`illegal base64 data at input byte ${position(index)}`);
  const bad = plain.search(/[^A-Za-z0-9+/]/);
  const body = bad < 0 ? plain : plain.slice(0, bad);
  const padding = plain.slice(body.length);
  const left = body.length % 4;
  if (padding === '' && left > 0) throw new ScalarError(`illegal base64 data at input byte ${text.length - left}`);
  if (padding !== '') {
    if (padding[0] !== '=' || left < 2) throw corrupt(body.length);
    const wanted = 4 - left;
    if (wanted === 2 && padding.length === 1) throw new ScalarError(`illegal base64 data at input byte ${text.length}`);
    if (wanted === 2 && padding[1] !== '=') throw corrupt(body.length);
    if (padding.length > wanted) throw corrupt(body.length + wanted);
  }
  return Buffer.from(body, 'base64').toString('base64');
}
