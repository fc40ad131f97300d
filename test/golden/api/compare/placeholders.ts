// The placeholders of the recorded sessions: what each may stand for, and how equal numbers hold together.

/**
 * How a numbered placeholder is bound: `same` = one value for one number and another value for another number;
 * `version` = the same, and numbers keep the order of the values; `latest` = the last value seen, used in requests.
 */
export type Binding = 'same' | 'version' | 'latest';

interface Kind {
  pattern: string;
  numbered: Binding;
  /** The recording writes a JSON number as this string. */
  number?: boolean;
}

const upstreamAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const seconds = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d';
const ipAddress = '(?:\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9a-f]*:[0-9a-f:]+)';

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['uid', { pattern: uuid, numbered: 'same' }],
  ['rv', { pattern: '\\d+', numbered: 'version' }],
  ['time', { pattern: `${seconds}Z`, numbered: 'same' }],
  ['microtime', { pattern: `${seconds}\\.\\d{6}Z`, numbered: 'same' }],
  ['nanotime', { pattern: `${seconds}\\.(?:\\d{1,5}|\\d{7,9})Z`, numbered: 'same' }],
  ['rand', { pattern: `[${upstreamAlphabet}]{5}`, numbered: 'same' }],
  ['hash', { pattern: `[${upstreamAlphabet}]{1,10}`, numbered: 'same' }],
  ['hex', { pattern: '[0-9a-f]{1,16}', numbered: 'same' }],
  ['continue', { pattern: '[^"&\\s]+', numbered: 'latest' }],
  ['etag', { pattern: '[^"]+', numbered: 'same' }],
  ['jwt', { pattern: '[\\w-]+\\.[\\w-]+\\.[\\w-]+', numbered: 'same' }],
  ['pem', { pattern: '(?:-----BEGIN CERTIFICATE-----\\n[A-Za-z0-9+/=\\n]+-----END CERTIFICATE-----\\n?)+', numbered: 'same' }],
  ['ca', { pattern: '[A-Za-z0-9+/=]+', numbered: 'same' }],
  ['ip', { pattern: ipAddress, numbered: 'same' }],
  ['clusterIP', { pattern: ipAddress, numbered: 'same' }],
  ['nodePort', { pattern: '3[0-2]\\d{3}', numbered: 'same', number: true }],
  ['port', { pattern: '\\d{1,5}', numbered: 'same', number: true }],
  ['server', { pattern: '(?:https?://)?[^\\s"/]+', numbered: 'same' }],
  ['host', { pattern: '[A-Za-z0-9][A-Za-z0-9.-]*', numbered: 'same' }],
  ['dir', { pattern: '/[^\\s"]*?', numbered: 'same' }],
  ['id', { pattern: '[a-z0-9]+', numbered: 'same' }],
  ['n', { pattern: '\\d+', numbered: 'same' }],
  ['httpdate', { pattern: '[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT', numbered: 'same' }],
  ['age', { pattern: '(?:\\d+(?:\\.\\d+)?(?:ms|[smhdy]))+', numbered: 'same' }],
  ['unreachable', { pattern: '.+', numbered: 'same' }],
]);

// kubectl prints times in forms of its own: `describe` (RFC 1123 with zone) and the file headers of `diff`.
const printedTime = `(?:${seconds}Z|[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d [+-]\\d{4}|\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+ [+-]\\d{4})`;
const documentHash = '[0-9A-F]{16,}';

export interface Placeholder {
  /** As written: `<uid:3>`. */
  text: string;
  kind: string;
  /** `3` of `<uid:3>`; absent where the recording keeps no identity. */
  number?: string;
  /** Seconds after the deletion, for `<time+30s>`. */
  afterDeletion?: number;
}

export interface Template {
  /** Literal text and placeholders in turn. */
  parts: readonly (string | Placeholder)[];
  placeholders: readonly Placeholder[];
  /** Matches a whole value; one capturing group for each placeholder. */
  whole: RegExp;
  /** Matches the beginning of a value. */
  beginning: RegExp;
}

const written = /<(?:time\+(\d+)s|([a-zA-Z]+)(?::(\w+))?)>/g;
const escapeForPattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

export function bindingOf(kind: string): Binding {
  return kinds.get(kind)?.numbered ?? 'same';
}

/** Whether the recording's string may stand for a JSON number (ports). */
export function standsForNumber(text: string): boolean {
  const only = /^<([a-zA-Z]+)(?::\w+)?>$/.exec(text);
  return only !== null && kinds.get(only[1] ?? '')?.number === true;
}

export function placeholdersIn(text: string): Placeholder[] {
  return text.includes('<') ? [...templateOf(text).placeholders] : [];
}

const patternOf = (placeholder: Placeholder, before: string, transcript: boolean): string => {
  if (placeholder.afterDeletion !== undefined) return `${seconds}Z`;
  if (placeholder.kind === 'time' && transcript) return printedTime;
  if (placeholder.kind === 'hash' && /[?&]hash=$/.test(before)) return documentHash;
  return kinds.get(placeholder.kind)?.pattern ?? '';
};

const cache = new Map<string, Template>();

/** The compiled form of a recorded string. `transcript`: text printed by kubectl. */
export function templateOf(text: string, transcript = false): Template {
  const key = transcript ? `t${text}` : `j${text}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const parts: (string | Placeholder)[] = [];
  const placeholders: Placeholder[] = [];
  let pattern = '';
  let end = 0;
  const literal = (piece: string) => {
    parts.push(piece);
    pattern += escapeForPattern(piece);
  };
  for (const match of text.matchAll(written)) {
    const kind = match[1] === undefined ? (match[2] ?? '') : 'time';
    if (!kinds.has(kind)) continue;
    const placeholder: Placeholder = { text: match[0], kind };
    if (match[3] !== undefined) placeholder.number = match[3];
    if (match[1] !== undefined) placeholder.afterDeletion = Number(match[1]);
    literal(text.slice(end, match.index));
    pattern += `(${patternOf(placeholder, text.slice(end, match.index), transcript)})`;
    parts.push(placeholder);
    placeholders.push(placeholder);
    end = match.index + match[0].length;
  }
  literal(text.slice(end));
  const template = { parts, placeholders, whole: new RegExp(`^${pattern}$`), beginning: new RegExp(`^${pattern}`) };
  cache.set(key, template);
  return template;
}
