// A recorded value held against one of the play: placeholders are found out on the way.
import { isObject, parseTime, type Json, type JsonObject } from '#libs/kernel';
import type { Difference } from '../play-result';
import type { Bindings } from './bindings';

/** Lists whose order is not promised. */
const unordered: ReadonlySet<string> = new Set([
  'taints',
  'active',
  'endpoints',
  'addresses',
  'notReadyAddresses',
  'subsets',
  'ports',
  'tolerations',
]);

export interface Unified {
  differences: Difference[];
  /** What placeholders stand for if it is so. */
  found: Map<string, string>;
}

/** @param path where in the object the values are */
export function unify(recorded: Json | undefined, played: Json | undefined, bindings: Bindings, path = ''): Unified {
  const unified: Unified = { differences: [], found: new Map() };
  walk(recorded, played, path);
  return unified;

  function walk(wanted: Json | undefined, got: Json | undefined, at: string): void {
    if (typeof wanted === 'string' && typeof got === 'string') return text(wanted, got, at);
    if (Array.isArray(wanted) && Array.isArray(got)) return list(wanted, got, at);
    if (isCount(wanted) && (Array.isArray(got) || got === undefined)) return walk(wanted, countOf(wanted, got ?? []), at);
    // Of the one address that is drawn, the list is told alike.
    if (wanted === '<ip>' && Array.isArray(got)) return walk([wanted], got, at);
    if (isObject(wanted) && isObject(got) && !Array.isArray(wanted) && !Array.isArray(got))
      return fields(wanted as JsonObject, got as JsonObject, at);
    if (wanted !== got) differ(wanted, got, at);
  }

  function text(wanted: string, got: string, at: string): void {
    const moment = bindings.moments.of(wanted);
    if (moment !== undefined) {
      const time = parseTime(got);
      if (time === undefined || Math.abs(time - moment) > bindings.moments.toleranceMs) differ(bindings.resolveText(wanted), got, at);
      return;
    }
    const match = bindings.match(wanted, got, unified.found);
    if (!match) differ(bindings.resolveText(wanted), got, at);
    else for (const [name, actual] of match) unified.found.set(name, actual);
  }

  function list(wanted: Json[], got: Json[], at: string): void {
    if (wanted.length !== got.length) return differ(wanted, got, at);
    if (!unordered.has(lastKey(at))) return wanted.forEach((item, index) => walk(item, got[index], `${at}[${index}]`));
    const left = [...got];
    wanted.forEach((item, index) => {
      const partner = left.findIndex((other) => isUnifiable(item, other));
      if (partner < 0) return differ(item, left.length === 1 ? left[0] : left, `${at}[${index}]`);
      walk(item, left[partner], `${at}[${index}]`);
      left.splice(partner, 1);
    });
  }

  function isUnifiable(wanted: Json, got: Json): boolean {
    const before = new Map(unified.found);
    const count = unified.differences.length;
    walk(wanted, got, '');
    const isSo = unified.differences.length === count;
    unified.differences.length = count;
    unified.found = before;
    return isSo;
  }

  function fields(wanted: JsonObject, got: JsonObject, at: string): void {
    const left = new Set(Object.keys(got));
    for (const [key, item] of Object.entries(wanted)) {
      const own = bindings.resolveText(key);
      left.delete(own);
      walk(item, got[own], at === '' ? own : `${at}.${own}`);
    }
    for (const key of left) differ(undefined, got[key], at === '' ? key : `${at}.${key}`);
  }

  function differ(wanted: Json | undefined, got: Json | undefined, at: string): void {
    unified.differences.push({ path: at, text: `recorded ${shown(bindings.resolve(wanted))}, played ${shown(got)}` });
  }
}

/** Long lists of endpoints are recorded as numbers. */
function isCount(wanted: Json | undefined): wanted is number | JsonObject {
  return (typeof wanted === 'number' && Number.isInteger(wanted)) || (isObject(wanted) && 'count' in wanted);
}

function countOf(wanted: number | JsonObject, got: readonly Json[]): Json {
  if (typeof wanted === 'number') return got.length;
  const having = (condition: string): number =>
    got.filter((endpoint) => ((endpoint as JsonObject).conditions as JsonObject | undefined)?.[condition] === true).length;
  return { count: got.length, ready: having('ready'), serving: having('serving'), terminating: having('terminating') };
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
