// One recorded string against one string of our server: placeholders bound, everything else literal.
import type { Bindings } from './bindings';
import { namesCurrentVersion } from './left-open';
import type { Placeholder } from './placeholders';
import { bindingOf, templateOf } from './placeholders';

export interface MatchContext {
  bindings: Bindings;
  /** Milliseconds since the epoch: when the session began, and now. */
  startedAt: number;
  now: () => number;
}

export interface MatchOptions {
  /** The version is a list's own: order instead of equality. */
  listVersion?: boolean;
  /** Text printed by kubectl. */
  transcript?: boolean;
  /** Only the beginning has to match. */
  prefix?: boolean;
}

const clockSlack = 1000;

/** Answers undefined when `actual` is what was recorded, otherwise the reason; bindings made on the way stay. */
export function mismatch(context: MatchContext, expected: string, actual: string, options: MatchOptions = {}): string | undefined {
  if (!expected.includes('<')) {
    const equal = options.prefix === true ? actual.startsWith(expected) : actual === expected;
    return equal ? undefined : describe(expected, actual);
  }
  const template = templateOf(expected, options.transcript);
  const found = (options.prefix === true ? template.beginning : template.whole).exec(actual);
  if (found === null) return describe(expected, actual);
  for (const [index, placeholder] of template.placeholders.entries()) {
    const reason = bindOne(context, placeholder, found[index + 1] ?? '', options.listVersion === true || namesCurrentVersion(expected));
    if (reason !== undefined) return `${describe(expected, actual)} (${reason})`;
  }
  return undefined;
}

export function bindOne(context: MatchContext, placeholder: Placeholder, value: string, listVersion: boolean): string | undefined {
  const { bindings } = context;
  if (placeholder.afterDeletion !== undefined) return deletionMoment(context, placeholder.afterDeletion, value);
  if (placeholder.number === undefined) {
    bindings.remember(placeholder.kind, '', value);
    return undefined;
  }
  switch (bindingOf(placeholder.kind)) {
    case 'latest':
      bindings.remember(placeholder.kind, placeholder.number, value);
      return undefined;
    case 'version': {
      const number = Number(placeholder.number);
      if (Number.isNaN(number)) return undefined;
      return listVersion ? bindings.listVersion(number, BigInt(value)) : bindings.version(number, BigInt(value));
    }
    default:
      return bindings.same(placeholder.kind, placeholder.number, value);
  }
}

/** `<time+30s>` is the deletion's moment plus its grace, and the deletion happened in this session. */
function deletionMoment(context: MatchContext, grace: number, value: string): string | undefined {
  const moment = Date.parse(value) - grace * 1000;
  const began = Math.floor(context.startedAt / 1000) * 1000 - clockSlack;
  return moment >= began && moment <= context.now() + clockSlack ? undefined : `not the time of a deletion in this session plus ${grace}s`;
}

const shownCharacters = 300;

export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}… (${text.length} characters)` : text;
}

/** Both values; of long strings the neighbourhood of the first difference. */
export function describe(expected: unknown, actual: unknown): string {
  if (typeof expected === 'string' && typeof actual === 'string' && expected.length + actual.length > 2 * shownCharacters) {
    let at = 0;
    while (at < expected.length && expected[at] === actual[at]) at += 1;
    const from = Math.max(0, at - 40);
    const near = (text: string) => JSON.stringify(`${from > 0 ? '…' : ''}${text.slice(from, from + shownCharacters)}`);
    return `from character ${from}: expected ${near(expected)}, got ${near(actual)}`;
  }
  return `expected ${show(expected)}, got ${show(actual)}`;
}
