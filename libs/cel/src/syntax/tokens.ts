import type { Issue, Source } from '../source';

/** In the order in which cel-go's grammar numbers them: its messages list what was expected so. */
export const tokenKinds = [
  '==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', '+', '*', '/', '%',
  'true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER', 'ESC_IDENTIFIER', 'EOF',
] as const; // prettier-ignore

export type TokenKind = (typeof tokenKinds)[number];

export interface Token {
  kind: TokenKind;
  text: string;
  /** In code points. */
  at: number;
}

const escape = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const space = /[\t \r\n\f]+|\/\/[^\n]*/y;
const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ['NUM_FLOAT', /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ['NUM_UINT', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['NUM_INT', /0x[0-9a-fA-F]+|\d+/y],
  ['STRING', stringPattern('')],
  ['BYTES', stringPattern('[bB]')],
  ['IDENTIFIER', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['ESC_IDENTIFIER', /`[A-Za-z0-9_.\-/ ]+`/y],
];
const signs = [
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '<',
  '>',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
] as const;
const words = new Set<string>(['in', 'true', 'false', 'null']);

/** Triple quotes first: the longest match wins. */
function stringPattern(prefix: string): RegExp {
  const plain = ['"""', "'''"].map((quote) => `${quote}(?:${escape}|[^\\\\])*?${quote}`);
  const raw = ['"""', "'''"].map((quote) => `[rR]${quote}[\\s\\S]*?${quote}`);
  const single = ['"', "'"].map((quote) => `${quote}(?:${escape}|[^\\\\${quote}\\n\\r])*${quote}`);
  const rawSingle = ['"', "'"].map((quote) => `[rR]${quote}[^${quote}\\n\\r]*${quote}`);
  return new RegExp(`${prefix}(?:${[...plain, ...raw, ...single, ...rawSingle].join('|')})`, 'yu');
}

/** The tokens of a text, the last one EOF. What is no token is left out and told as an issue. */
export function tokenize(source: Source, issues: Issue[]): Token[] {
  const { text } = source;
  const tokens: Token[] = [];
  let index = 0;
  // Code points up to `index`: places are told in them, and texts are searched in code units.
  let at = 0;
  const advance = (length: number): void => {
    const end = index + length;
    at += codePointsIn(text, index, end);
    index = end;
  };
  while (index < text.length) {
    const blank = match(space, text, index);
    if (blank !== undefined) {
      advance(blank.length);
      continue;
    }
    const found = tokenAt(text, index);
    if (found) {
      tokens.push({ ...found, at });
      advance(found.text.length);
      continue;
    }
    const bad = unrecognizedAt(text, index);
    issues.push({ message: `Syntax error: token recognition error at: '${bad}'`, offset: at });
    advance(bad.length);
  }
  // Of an empty text the end is before its beginning.
  tokens.push({ kind: 'EOF', text: '<EOF>', at: text === '' ? -1 : at });
  return tokens;
}

/** The longest match wins; a word of the language is no identifier. */
function tokenAt(text: string, index: number): Omit<Token, 'at'> | undefined {
  let best: Omit<Token, 'at'> | undefined;
  for (const [kind, pattern] of patterns) {
    const found = match(pattern, text, index);
    if (found !== undefined && found.length > (best?.text.length ?? 0)) best = { kind, text: found };
  }
  if (best) return best.kind === 'IDENTIFIER' && words.has(best.text) ? { kind: best.text as TokenKind, text: best.text } : best;
  const sign = signs.find((candidate) => text.startsWith(candidate, index));
  return sign && { kind: sign, text: sign };
}

const viableString = (quote: string): RegExp => new RegExp(`${quote}(?:${escape}|[^\\\\${quote}\\n\\r])*\\\\?`, 'yu');
const viable: readonly RegExp[] = [viableString('"'), viableString("'"), /`[A-Za-z0-9_.\-/ ]*/y, /[=&|]/y];

/** As far as something could have become a token, and the code point that ended the hope. */
function unrecognizedAt(text: string, index: number): string {
  const hope = viable.map((pattern) => match(pattern, text, index)).find((found) => found !== undefined) ?? '';
  const ending = text.codePointAt(index + hope.length);
  return ending === undefined ? hope : hope + String.fromCodePoint(ending);
}

function match(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}

function codePointsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; count += 1) index += (text.codePointAt(index) as number) > 0xffff ? 2 : 1;
  return count;
}
