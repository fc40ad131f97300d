// Makes a request of ours from a recorded one: every placeholder gets the value our server gave for it.
import type { MatchContext } from '../compare/match';
import type { Placeholder } from '../compare/placeholders';
import { standsForNumber, templateOf } from '../compare/placeholders';
import type { Recall } from './recall';
import { uidOf } from './recall';
import type { RecordedRequest } from '../recording';

export interface SubstituteContext extends MatchContext {
  recall: Recall;
  /** Values known to the player beforehand, by placeholder text: `<port>`, `<ca>`. */
  given: ReadonlyMap<string, string>;
  /** A UUID nobody else has, for uids that the session made up. */
  inventUid: () => string;
}

/** A request that cannot be sent as recorded; the message says which value is missing. */
export class UnknownPlaceholder extends Error {
  constructor(placeholder: string) {
    super(`no value is known for ${placeholder}`);
    this.name = 'UnknownPlaceholder';
  }
}

export function fillRequest(context: SubstituteContext, recorded: RecordedRequest): RecordedRequest {
  const path = fillText(context, recorded.path, recorded.path);
  const filled: RecordedRequest = { ...recorded, path };
  if (recorded.query !== undefined) filled.query = fillText(context, recorded.query, path);
  if (recorded.headers !== undefined) {
    filled.headers = Object.fromEntries(
      Object.entries(recorded.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map((one) => fillText(context, one, path)) : fillText(context, value, path),
      ]),
    );
  }
  if (recorded.body !== undefined) filled.body = fillValue(context, recorded.body);
  return filled;
}

/** Throws UnknownPlaceholder. */
export function fillText(context: SubstituteContext, text: string, requestPath = ''): string {
  if (!text.includes('<')) return text;
  return templateOf(text)
    .parts.map((part) => (typeof part === 'string' ? part : valueOf(context, part, requestPath)))
    .join('');
}

/** Throws UnknownPlaceholder. */
export function fillValue(context: SubstituteContext, value: unknown): unknown {
  return fill(context, value, undefined, '');
}

function fill(context: SubstituteContext, value: unknown, uid: string | undefined, path: string): unknown {
  if (typeof value === 'string') {
    if (!value.includes('<')) return value;
    const template = templateOf(value);
    if (template.placeholders.length === 0) return value;
    const recalled =
      uid !== undefined && template.placeholders.some(({ number }) => number === undefined) ? context.recall.textOf(uid, path) : undefined;
    const text = recalled ?? fillText(context, value);
    return standsForNumber(value) ? Number(text) : text;
  }
  if (Array.isArray(value)) return value.map((element, index) => fill(context, element, uid, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  const own = uidOf(value);
  const inner = own === undefined ? uid : fillText(context, own);
  const below = own === undefined ? `${path}.` : '.';
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [fillText(context, key), fill(context, element, inner, `${below}${key}`)]),
  );
}

function valueOf(context: SubstituteContext, placeholder: Placeholder, requestPath: string): string {
  const { bindings, recall } = context;
  const given = context.given.get(placeholder.text);
  if (given !== undefined) return given;
  if (placeholder.kind === 'continue' && placeholder.number === 'old') return oldToken(bindings.lastOf('continue'));
  if (placeholder.number !== undefined) {
    const bound = bindings.valueOf(placeholder.kind, placeholder.number);
    if (bound !== undefined) return bound;
    if (placeholder.kind === 'uid') {
      const invented = context.inventUid();
      bindings.same('uid', placeholder.number, invented);
      return invented;
    }
  }
  const fallback = unnumbered(context, placeholder, requestPath, recall) ?? bindings.lastOf(placeholder.kind);
  if (fallback === undefined || placeholder.number !== undefined) throw new UnknownPlaceholder(placeholder.text);
  return fallback;
}

function unnumbered(context: SubstituteContext, placeholder: Placeholder, requestPath: string, recall: Recall): string | undefined {
  const moment = new Date(context.now()).toISOString();
  switch (placeholder.kind) {
    case 'time':
      return moment.replace(/\.\d+Z$/, 'Z');
    case 'microtime':
      return moment.replace(/Z$/, '000Z');
    case 'hash':
      return recall.hashOf(requestPath);
    case 'etag':
      return recall.etagOf(requestPath);
    case 'uid':
      return context.inventUid();
    default:
      return undefined;
  }
}

/**
 * `<continue:old>` is the last token with its version replaced by 1. That needs a token of upstream's form: base64url of a JSON
 * object with `rv`.
 */
function oldToken(last: string | undefined): string {
  try {
    const token = JSON.parse(Buffer.from(last ?? '', 'base64url').toString()) as Record<string, unknown>;
    if (typeof token['rv'] === 'number' || typeof token['rv'] === 'string') {
      return Buffer.from(JSON.stringify({ ...token, rv: typeof token['rv'] === 'number' ? 1 : '1' })).toString('base64url');
    }
  } catch {
    // Not of that form; said below.
  }
  throw new UnknownPlaceholder('<continue:old>: the server\'s own tokens are not base64url of JSON with "rv"');
}
