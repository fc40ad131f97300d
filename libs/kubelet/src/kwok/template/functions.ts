import { TemplateError } from './tokens';

export type TemplateFunction = (...args: unknown[]) => unknown;

/** As Go's templates see it: what is empty is false. */
export function isTrue(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** A value in a text, as Go prints it. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '<no value>';
  if (Array.isArray(value)) return `[${value.map(textOf).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, inner]) => `${key}:${textOf(inner)}`).join(' ')}]`;
}

function order(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  throw new TemplateError('values of two kinds are compared');
}

const isEqual = (a: unknown, b: unknown): boolean => (a ?? null) === (b ?? null);

function index(value: unknown, ...keys: unknown[]): unknown {
  let found = value;
  for (const key of keys) {
    if (Array.isArray(found)) found = found[key as number];
    else if (typeof found === 'object' && found !== null && Object.hasOwn(found, String(key)))
      found = (found as Record<string, unknown>)[String(key)];
    else return null;
  }
  return found ?? null;
}

/** `%s`, `%v`, `%d`, `%q` and `%%`. */
function printf(format: unknown, ...args: unknown[]): string {
  let next = 0;
  return String(format).replace(/%([svdq%])/g, (_all, verb: string) => {
    if (verb === '%') return '%';
    const value = args[next++];
    return verb === 'q' ? JSON.stringify(textOf(value)) : textOf(value);
  });
}

const lengthOf = (value: unknown): number => {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
};

const number = (value: unknown): number => Math.trunc(Number(value)) || 0;
const text = (value: unknown): string => (value === null || value === undefined ? '' : textOf(value));

function dict(...pairs: unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (let at = 0; at < pairs.length; at += 2)
    Object.defineProperty(result, text(pairs[at]), { value: pairs[at + 1] ?? '', enumerable: true, configurable: true, writable: true });
  return result;
}

/** Go's own functions, and those of sprig that stages use. */
export const functions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['and', (...args) => args.find((each) => !isTrue(each)) ?? (args.some((each) => !isTrue(each)) ? null : args.at(-1))],
  ['or', (...args) => args.find(isTrue) ?? args.at(-1)],
  ['not', (value) => !isTrue(value)],
  ['eq', (value, ...others) => others.some((each) => isEqual(value, each))],
  ['ne', (a, b) => !isEqual(a, b)],
  ['lt', (a, b) => order(a, b) < 0],
  ['le', (a, b) => order(a, b) <= 0],
  ['gt', (a, b) => order(a, b) > 0],
  ['ge', (a, b) => order(a, b) >= 0],
  ['len', lengthOf],
  ['index', index],
  ['print', (...args) => args.map(textOf).join('')],
  ['printf', printf],
  ['dict', dict],
  ['list', (...args) => args],
  ['default', (fallback, value) => (isTrue(value) ? value : fallback)],
  ['coalesce', (...args) => args.find(isTrue) ?? null],
  ['ternary', (yes, no, value) => (isTrue(value) ? yes : no)],
  ['empty', (value) => !isTrue(value)],
  ['get', (of, key) => index(of, key) ?? ''],
  ['hasKey', (of, key) => typeof of === 'object' && of !== null && Object.hasOwn(of, text(key))],
  ['quote', (...args) => args.map((each) => JSON.stringify(text(each))).join(' ')],
  ['squote', (...args) => args.map((each) => `'${text(each)}'`).join(' ')],
  ['toString', text],
  ['upper', (value) => text(value).toUpperCase()],
  ['lower', (value) => text(value).toLowerCase()],
  ['trim', (value) => text(value).trim()],
  ['trunc', (length, value) => text(value).slice(0, number(length))],
  ['replace', (from, to, value) => text(value).replaceAll(text(from), text(to))],
  ['contains', (part, value) => text(value).includes(text(part))],
  ['hasPrefix', (part, value) => text(value).startsWith(text(part))],
  ['hasSuffix', (part, value) => text(value).endsWith(text(part))],
  ['int', number],
  ['atoi', number],
  ['add', (...args) => args.reduce<number>((sum, each) => sum + number(each), 0)],
  ['sub', (a, b) => number(a) - number(b)],
  ['mul', (...args) => args.reduce<number>((product, each) => product * number(each), 1)],
  ['mod', (a, b) => number(a) % number(b)],
]);
