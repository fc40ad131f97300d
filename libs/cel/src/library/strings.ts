import { define, member, overload, type FunctionDecl } from '../types/functions';
import { dynType, intType, listOf, stringType } from '../types/type';
import { ArrayList, EvaluationError, ListValue } from '../values/value';
import { codePointsOf, sliceOf } from './code-points';
import { formatText } from './format-text';

const outOfRange = (index: bigint | number): EvaluationError => new EvaluationError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  const points = codePointsOf(text);
  if (index < 0n || index > points.length) throw outOfRange(index);
  return points[Number(index)] ?? '';
}

function isPartAt(points: ArrayLike<string>, part: ArrayLike<string>, at: number): boolean {
  for (let index = 0; index < part.length; index += 1) if (points[at + index] !== part[index]) return false;
  return true;
}

function indexOf(text: string, part: string, from = 0n): bigint {
  if (part === '') return from;
  if (from < 0n) throw outOfRange(from);
  const [points, sought] = [codePointsOf(text), codePointsOf(part)];
  for (let at = Number(from); at <= points.length - sought.length; at += 1) if (isPartAt(points, sought, at)) return BigInt(at);
  return -1n;
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const [points, sought] = [codePointsOf(text), codePointsOf(part)];
  if (part === '') return from ?? BigInt(points.length);
  if (from === undefined && text.length < part.length) return -1n;
  const start = from ?? BigInt(points.length - 1);
  if (start < 0n) throw outOfRange(start);
  if (start >= points.length) return -1n;
  for (let at = Math.min(Number(start), points.length - sought.length); at >= 0; at -= 1)
    if (isPartAt(points, sought, at)) return BigInt(at);
  return -1n;
}

/** @param most so many at most; below 0: all */
function replace(text: string, old: string, by: string, most = -1n): string {
  if (most < 0n) return old === '' ? replaceBetween(text, by, Infinity) : text.split(old).join(by);
  if (old === '') return replaceBetween(text, by, Number(most));
  const parts = splitAtMost(text, old, Number(most) + 1);
  return parts.join(by);
}

/** Nothing is found before each code point and at the end. */
function replaceBetween(text: string, by: string, most: number): string {
  const points = Array.from(text);
  return points.map((point, index) => (index < most ? by : '') + point).join('') + (points.length < most ? by : '');
}

function splitAtMost(text: string, separator: string, most: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (parts.length < most - 1) {
    const at = rest.indexOf(separator);
    if (at < 0) break;
    parts.push(rest.slice(0, at));
    rest = rest.slice(at + separator.length);
  }
  return [...parts, rest];
}

function split(text: string, separator: string, most = -1n): ArrayList {
  if (most === 0n) return new ArrayList([]);
  if (separator === '') {
    const points = Array.from(text);
    if (most < 0n || points.length <= most) return new ArrayList(points);
    const cut = Number(most) - 1;
    return new ArrayList([...points.slice(0, cut), points.slice(cut).join('')]);
  }
  return new ArrayList(most < 0n ? text.split(separator) : splitAtMost(text, separator, Number(most)));
}

function substring(text: string, start: bigint, end?: bigint): string {
  const { length } = codePointsOf(text);
  if (end !== undefined && start > end) throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > length) throw outOfRange(start);
  if (end !== undefined && (end < 0n || end > length)) throw outOfRange(end);
  return sliceOf(text, Number(start), end === undefined ? undefined : Number(end));
}

/** What Unicode calls white space: JavaScript's trim takes the byte order mark too, and not the next-line character. */
const trim = (text: string): string => text.replaceAll(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, '');

function join(list: ListValue, separator = ''): string {
  return Array.from(list, (item) => {
    if (typeof item !== 'string') throw new EvaluationError(`join: invalid input: ${String(item)}`);
    return item;
  }).join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\\': '\\\\', '"': '\\"',
}; // prettier-ignore

const quote = (text: string): string => text.replaceAll(/[\u0007\b\f\n\r\t\v\\"]/g, (point) => escapes[point] as string);

const texts = [stringType, stringType];

/** The extension `strings`, version 2. */
export const stringFunctions: readonly FunctionDecl[] = [
  define('charAt', member('string_char_at_int', [stringType, intType], stringType, charAt)),
  define(
    'indexOf',
    member('string_index_of_string', texts, intType, indexOf),
    member('string_index_of_string_int', [...texts, intType], intType, indexOf),
  ),
  define(
    'lastIndexOf',
    member('string_last_index_of_string', texts, intType, lastIndexOf),
    member('string_last_index_of_string_int', [...texts, intType], intType, lastIndexOf),
  ),
  define(
    'lowerAscii',
    member('string_lower_ascii', [stringType], stringType, (text: string) => text.replaceAll(/[A-Z]+/g, (found) => found.toLowerCase())),
  ),
  define(
    'upperAscii',
    member('string_upper_ascii', [stringType], stringType, (text: string) => text.replaceAll(/[a-z]+/g, (found) => found.toUpperCase())),
  ),
  define(
    'replace',
    member('string_replace_string_string', [...texts, stringType], stringType, replace),
    member('string_replace_string_string_int', [...texts, stringType, intType], stringType, replace),
  ),
  define(
    'split',
    member('string_split_string', texts, listOf(stringType), split),
    member('string_split_string_int', [...texts, intType], listOf(stringType), split),
  ),
  define(
    'substring',
    member('string_substring_int', [stringType, intType], stringType, substring),
    member('string_substring_int_int', [stringType, intType, intType], stringType, substring),
  ),
  define('trim', member('string_trim', [stringType], stringType, trim)),
  define('format', member('string_format', [stringType, listOf(dynType)], stringType, formatText)),
  define(
    'strings.quote',
    overload('strings_quote', [stringType], stringType, (text: string) => `"${quote(text)}"`),
  ),
  define(
    'join',
    member('list_join', [listOf(stringType)], stringType, join),
    member('list_join_string', [listOf(stringType), stringType], stringType, join),
  ),
];
