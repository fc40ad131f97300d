/**
 * Regular expressions as .NET reads them, in JavaScript's: the anchors \A, \Z and \z, options in front, atomic groups, comments, and
 * `$` before a last line feed. @throws SyntaxError for what JavaScript has no equal of, or what is no expression
 */
export function dotnetRegex(pattern: string): RegExp {
  const { options, rest } = leadingOptions(pattern);
  const state: State = { source: rest, at: 0, groups: 0, options };
  const translated = sequence(state);
  if (state.at < rest.length) throw new SyntaxError('unmatched )');
  return new RegExp(translated, options.ignoreCase ? 'i' : '');
}

interface Options {
  ignoreCase: boolean;
  multiline: boolean;
  singleline: boolean;
  extended: boolean;
}

interface State {
  source: string;
  at: number;
  /** Capturing groups so far, those of atomic groups included. */
  groups: number;
  options: Options;
}

const OPTION_NAMES: Readonly<Record<string, keyof Options | undefined>> = {
  i: 'ignoreCase',
  m: 'multiline',
  s: 'singleline',
  x: 'extended',
};

function leadingOptions(pattern: string): { options: Options; rest: string } {
  const options: Options = { ignoreCase: false, multiline: false, singleline: false, extended: false };
  let rest = pattern;
  for (let found = /^\(\?([imnsx]+)\)/.exec(rest); found; found = /^\(\?([imnsx]+)\)/.exec(rest)) {
    for (const letter of found[1]!) {
      const name = OPTION_NAMES[letter];
      if (name) options[name] = true;
    }
    rest = rest.slice(found[0].length);
  }
  return { options, rest };
}

const END = '(?![\\s\\S])';
const ANCHORS: Readonly<Record<string, string | undefined>> = {
  A: '(?<![\\s\\S])',
  z: END,
  Z: `(?=\\n?${END})`,
  G: '(?<![\\s\\S])',
  a: '\\x07',
  e: '\\x1b',
};

/** Up to the end of a group or of all. */
function sequence(state: State): string {
  let translated = '';
  while (state.at < state.source.length && state.source[state.at] !== ')') translated += item(state);
  return translated;
}

function item(state: State): string {
  const { source, options } = state;
  const character = source[state.at]!;
  if (character === '\\') return escape(state);
  if (character === '[') return characterClass(state);
  if (character === '(') return group(state);
  state.at += 1;
  if (character === '$') return options.multiline ? `(?=\\n|${END})` : `(?=\\n?${END})`;
  if (character === '^') return options.multiline ? '(?<=\\n|(?<![\\s\\S]))' : '(?<![\\s\\S])';
  if (character === '.') return options.singleline ? '[\\s\\S]' : '[^\\n]';
  if (options.extended && /\s/.test(character)) return '';
  if (options.extended && character === '#') {
    while (state.at < source.length && source[state.at] !== '\n') state.at += 1;
    return '';
  }
  return character;
}

function escape(state: State): string {
  const letter = state.source[state.at + 1];
  if (letter === undefined) throw new SyntaxError('\\ at the end');
  state.at += 2;
  if (letter === 'p' || letter === 'P') throw new SyntaxError('Unicode categories are not known here');
  return ANCHORS[letter] ?? `\\${letter}`;
}

function characterClass(state: State): string {
  const { source } = state;
  let end = state.at + 1;
  if (source[end] === '^') end += 1;
  if (source[end] === ']') end += 1;
  while (end < source.length && source[end] !== ']') {
    if (source[end] === '[' && source[end - 1] === '-') throw new SyntaxError('character classes cannot be subtracted here');
    end += source[end] === '\\' ? 2 : 1;
  }
  if (end >= source.length) throw new SyntaxError('unterminated [ ] set');
  const text = source.slice(state.at, end + 1);
  state.at = end + 1;
  // A bracket in the first place stands for itself.
  return text.replace(/^\[(\^?)\]/, '[$1\\]');
}

function group(state: State): string {
  const { source } = state;
  const inside = (opening: string, skipped: number): string => {
    state.at += skipped;
    const translated = sequence(state);
    if (source[state.at] !== ')') throw new SyntaxError('unterminated group');
    state.at += 1;
    return `${opening}${translated})`;
  };
  const rest = source.slice(state.at);
  if (rest.startsWith('(?#')) {
    const end = source.indexOf(')', state.at);
    if (end < 0) throw new SyntaxError('unterminated comment');
    state.at = end + 1;
    return '';
  }
  if (rest.startsWith('(?>')) {
    // What a lookahead has matched is given back whole or not at all.
    const number = (state.groups += 1);
    return `(?:${inside('(?=(', 3)})\\${number})`;
  }
  const plain = /^\(\?(?::|=|!|<=|<!)/.exec(rest)?.[0];
  if (plain) return inside(plain, plain.length);
  const named = /^\(\?(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/.exec(rest);
  if (!named && rest.startsWith('(?')) throw new SyntaxError(`${rest.slice(0, 4)} is not known here`);
  state.groups += 1;
  return named ? inside(`(?<${named[1] ?? named[2]}>`, named[0].length) : inside('(', 1);
}
