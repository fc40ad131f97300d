import { NotSimulatedError, TooManyStepsError, type Part } from '../process';
import type { List, Piece, Word } from './syntax';
import { numberOf } from './arithmetic';
import { withoutBraces } from './braces';
import { matcherOf } from './patterns';

/** What words are expanded with. */
export interface Variables {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  positional: readonly string[];
}

export interface ExpandContext {
  variables: Variables;
  /** What a script writes, without the last line ends. */
  output(script: List): Part<string>;
  /** Paths that a pattern matches. */
  paths(pattern: string): string[];
  /** It is bash: `{1..3}` is three words. */
  hasBraces: boolean;
}

/** Characters of a variable, or of a word. */
const textMax = 1024 * 1024;

/** @throws TooManyStepsError where a text has grown out of bounds */
export function checkLength(text: string): void {
  if (text.length > textMax) throw new TooManyStepsError(`a text of more than ${textMax} characters`);
}

/** The word as one text: nothing is split. */
export function* expandText(word: Word, context: ExpandContext): Part<string> {
  let text = '';
  for (const piece of word) {
    text += yield* valueOf(piece, context);
    checkLength(text);
  }
  return text;
}

/** The word as a pattern: what is quoted matches itself. */
export function* expandPattern(word: Word, context: ExpandContext): Part<string> {
  let text = '';
  for (const piece of word) {
    const value = yield* valueOf(piece, context);
    text += piece.isQuoted ? value.replace(/[*?[\]\\]/g, '\\$&') : value;
  }
  return text;
}

/** The fields that a word becomes: what is not quoted is split at blanks and matched against paths. */
export function* expandFields(word: Word, context: ExpandContext): Part<string[]> {
  if (!context.hasBraces) return yield* fieldsOf(word, context);
  const fields: string[] = [];
  for (const each of withoutBraces(word)) fields.push(...(yield* fieldsOf(each, context)));
  return fields;
}

function* fieldsOf(word: Word, context: ExpandContext): Part<string[]> {
  const fields: { text: string; pattern: string; isPattern: boolean }[] = [];
  let isOpen = false;
  const add = (text: string, isQuoted: boolean): void => {
    if (!isOpen) fields.push({ text: '', pattern: '', isPattern: false });
    isOpen = true;
    const field = fields[fields.length - 1] as (typeof fields)[number];
    field.text += text;
    checkLength(field.text);
    field.pattern += isQuoted ? text.replace(/[*?[\]\\]/g, '\\$&') : text;
    field.isPattern ||= !isQuoted && /[*?[]/.test(text);
  };
  for (const piece of word) {
    if (piece.kind === 'variable' && piece.name === '@' && piece.isQuoted) {
      context.variables.positional.forEach((each, index) => {
        if (index > 0) isOpen = false;
        add(each, true);
      });
      continue;
    }
    const value = yield* valueOf(piece, context);
    if (piece.isQuoted || piece.kind === 'text') add(value, piece.isQuoted);
    else {
      if (/^\s/.test(value)) isOpen = false;
      value.split(/\s+/).forEach((part, index) => {
        if (index > 0) isOpen = false;
        if (part !== '') add(part, false);
      });
      if (/\s$/.test(value)) isOpen = false;
    }
  }
  return fields.flatMap(({ text, pattern, isPattern }) => {
    const paths = isPattern ? context.paths(pattern) : [];
    return paths.length > 0 ? paths : [text];
  });
}

function* valueOf(piece: Piece, context: ExpandContext): Part<string> {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'length':
      return String((context.variables.get(piece.name) ?? '').length);
    case 'command':
      return yield* context.output(piece.script);
    case 'number':
      return String(numberOf(yield* expandText(piece.expression, context), context.variables));
    case 'variable':
      return yield* variable(piece, context);
  }
}

function* variable({ name, operation, word = [] }: Extract<Piece, { kind: 'variable' }>, context: ExpandContext): Part<string> {
  const { variables } = context;
  const value = variables.get(name);
  if (operation === undefined) return value ?? '';
  const isSet = operation.startsWith(':') ? value !== undefined && value !== '' : value !== undefined;
  switch (operation.replace(':', '')) {
    case '-':
      return isSet ? (value as string) : yield* expandText(word, context);
    case '=': {
      if (isSet) return value as string;
      const text = yield* expandText(word, context);
      variables.set(name, text);
      return text;
    }
    case '+':
      return isSet ? yield* expandText(word, context) : '';
    case '?':
      if (isSet) return value as string;
      throw new NotSimulatedError(`${name}: parameter not set`);
    default:
      return cut(value ?? '', operation, yield* expandPattern(word, context));
  }
}

/** `#` and `%` cut the shortest beginning or end that matches, `##` and `%%` the longest. */
function cut(value: string, operation: string, pattern: string): string {
  const matches = matcherOf(pattern);
  const places = Array.from({ length: value.length + 1 }, (_, index) => index);
  const isLongest = operation.length === 2;
  if (operation.startsWith('#')) {
    if (isLongest) places.reverse();
    const end = places.find((place) => matches(value.slice(0, place)));
    return end === undefined ? value : value.slice(end);
  }
  if (!isLongest) places.reverse();
  const start = places.find((place) => matches(value.slice(place)));
  return start === undefined ? value : value.slice(0, start);
}
