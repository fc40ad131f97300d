import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { goJson, goQuote } from '../status';

/**
 * One step of a path as fieldsV1 writes it: `f:spec` (a field, or a key of a map), `k:{"name":"main"}` (the element of a list that has these
 * keys), `v:"a"` (the element of a set), `i:0` (a place in a list).
 */
export type PathElement = string;

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const valueElement = (value: Json): PathElement => `v:${goJson(value)}`;

/** Keys by name, in any order. */
export function keyElement(keys: readonly (readonly [name: string, value: Json])[]): PathElement {
  const sorted = [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:{${sorted.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;
}

/** The name of a field or a key of a map; undefined: it is an element of a list. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** An element as a client may have written it, in the one form it has here. Undefined: of a kind that nobody knows, and passed over. @throws SyntaxError */
export function readElement(text: string): PathElement | undefined {
  if (text.startsWith('f:')) return text;
  if (text.length < 2 || text[1] !== ':') throw new SyntaxError(`no path element: ${text}`);
  switch (text[0]) {
    case 'v':
      return valueElement(JSON.parse(text.slice(2)) as Json);
    case 'k': {
      const keys = JSON.parse(text.slice(2)) as Json;
      if (!isObject(keys)) throw new SyntaxError(`no keys: ${text}`);
      return keyElement(Object.entries(keys) as [string, Json][]);
    }
    case 'i':
      if (!/^[-+]?\d+$/.test(text.slice(2))) throw new SyntaxError(`no index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

const ranks = 'fkvi';

/** Upstream's order: fields, then elements by key, by value, by place. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a[0] as string;
  if (kind !== b[0]) return ranks.indexOf(kind) - ranks.indexOf(b[0] as string);
  if (kind === 'f') return a < b ? -1 : 1;
  if (kind === 'i') return Number(a.slice(2)) - Number(b.slice(2));
  const [left, right] = [JSON.parse(a.slice(2)) as Json, JSON.parse(b.slice(2)) as Json];
  return kind === 'v' ? compareValues(left, right) : compareKeys(left as JsonObject, right as JsonObject);
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [[leftName, leftValue], [rightName, rightValue]] = [left[i] as [string, Json], right[i] as [string, Json]];
    if (leftName !== rightName) return leftName < rightName ? -1 : 1;
    const order = compareValues(leftValue, rightValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const valueRanks = ['number', 'string', 'boolean'];

/** Numbers before texts before truth values; what else there may be has no order of its own. */
function compareValues(a: Json, b: Json): number {
  if (typeof a !== typeof b) return rankOf(a) - rankOf(b);
  if (a === b || a === null || b === null) return 0;
  return a < b ? -1 : 1;
}

function rankOf(value: Json): number {
  const rank = valueRanks.indexOf(typeof value);
  return rank < 0 ? valueRanks.length : rank;
}

/** As messages show it: `.spec`, `[name="main"]`, `[="a"]`, `[0]`. */
export function showElement(element: PathElement): string {
  const text = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${text}`;
    case 'v':
      return `[=${showValue(JSON.parse(text) as Json)}]`;
    case 'k':
      return `[${Object.entries(JSON.parse(text) as JsonObject)
        .map(([name, value]) => `${name}=${showValue(value as Json)}`)
        .join(',')}]`;
    default:
      return `[${text}]`;
  }
}

function showValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[${value.map(showValue).join(',')}]`;
  if (isObject(value))
    return Object.entries(value)
      .map(([name, item]) => `${name}=${showValue(item as Json)}`)
      .join('');
  return String(value);
}

export function showPath(path: readonly PathElement[]): string {
  return path.map(showElement).join('');
}
