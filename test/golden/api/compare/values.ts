// Compares JSON answers with the recording and names each difference as a path. What may differ: left-open.ts.
import type { CompareContext } from './context';
import { report, scratch } from './context';
import {
  administratorUid,
  comparesStatesOnly,
  isCauses,
  isOrderedBySeconds,
  isDayOfStart,
  isRepeatCount,
  isUnorderedList,
  isUnorderedRules,
  isVersionOfRelated,
  leavesOutManagedFields,
  prefixBeforeGoTypes,
  withHexSuffix,
  withoutRoleNames,
} from './left-open';
import { describe, mismatch, show } from './match';
import { compareInvalidMessage } from './invalid-message';
import { placeholdersIn, standsForNumber } from './placeholders';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares an answer's body; `ofCollection`: the request read a collection, so a Table's version is the list's own. */
export function compareBody(context: CompareContext, expected: unknown, actual: unknown, path: string, ofCollection: boolean): void {
  const isList = isObject(expected) && (Array.isArray(expected['items']) || String(expected['kind']).endsWith('List'));
  const isTable = isObject(expected) && expected['kind'] === 'Table' && ofCollection;
  const own = `${path}.metadata.resourceVersion`;
  compareValue(isList || isTable ? { ...context, isListVersion: (at) => at === own } : context, expected, actual, path);
}

export function compareValue(context: CompareContext, expected: unknown, actual: unknown, path: string): void {
  if (isDayOfStart(path, expected) && isDayOfStart(path, actual)) return;
  if (typeof expected === 'string') return compareString(context, expected, actual, path);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return report(context, path, describe(expected, actual));
    return isCauses(path) ? compareUnordered(context, expected, actual, path) : compareList(context, expected, actual, path);
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return report(context, path, describe(expected, actual));
    return compareObject(context, expected, actual, path);
  }
  if (typeof expected === 'number' && typeof actual === 'number' && isRepeatCount(context.header, path)) return;
  if (expected !== actual) report(context, path, describe(expected, actual));
}

function compareString(context: CompareContext, recorded: string, actual: unknown, path: string): void {
  const expected = isVersionOfRelated(context.header, path) ? '<rv>' : withHexSuffix(administratorUid(recorded));
  const text =
    typeof actual === 'number' && standsForNumber(expected)
      ? String(actual)
      : typeof actual === 'string'
        ? administratorUid(actual)
        : actual;
  if (typeof text !== 'string') return report(context, path, describe(expected, actual));
  const prefix = path.endsWith('.message') ? prefixBeforeGoTypes(expected) : undefined;
  const reason =
    prefix !== undefined
      ? mismatch(context, prefix, text, { prefix: true })
      : mismatch(context, withoutRoleNames(expected), withoutRoleNames(text), { listVersion: context.isListVersion?.(path) === true });
  if (reason !== undefined) report(context, path, reason);
}

function compareObject(context: CompareContext, expected: Json, actual: Json, path: string): void {
  const seen = new Set<string>();
  const statesOnly = comparesStatesOnly(context.header);
  for (const key of Object.keys(expected)) {
    const at = path === '' ? key : `${path}.${key}`;
    const found = Object.hasOwn(actual, key) ? key : keyLike(context, key, actual, seen);
    if (found === undefined) {
      report(context, at, `missing, expected ${show(expected[key])}`);
      continue;
    }
    seen.add(found);
    const [theirs, ours] = [expected[key], actual[found]];
    if (key === 'message' && compareInvalidMessage(context, expected, actual, at)) continue;
    const unordered =
      isUnorderedRules(expected, key) ||
      isOrderedBySeconds(key) ||
      ((key === 'items' || key === 'rows') && isUnorderedList(expected)) ||
      (statesOnly && (key === 'items' || key === 'rows'));
    if (unordered && Array.isArray(theirs) && Array.isArray(ours)) compareUnordered(context, theirs, ours, at);
    else compareValue(context, theirs, ours, at);
  }
  for (const key of Object.keys(actual)) {
    if (seen.has(key) || Object.hasOwn(expected, key)) continue;
    if (key === 'managedFields' && /(^|\.)metadata$/.test(path) && leavesOutManagedFields(context.header)) continue;
    report(context, path === '' ? key : `${path}.${key}`, `unexpected, got ${show(actual[key])}`);
  }
}

/** Keys hold placeholders too (`k:{"uid":"<uid:3>"}` in managed fields). */
function keyLike(context: CompareContext, key: string, actual: Json, taken: ReadonlySet<string>): string | undefined {
  if (placeholdersIn(key).length === 0) return undefined;
  return Object.keys(actual).find((candidate) => {
    if (taken.has(candidate)) return false;
    const mark = context.bindings.mark();
    if (mismatch(context, key, candidate) === undefined) return true;
    context.bindings.rollback(mark);
    return false;
  });
}

function compareList(context: CompareContext, expected: readonly unknown[], actual: readonly unknown[], path: string): void {
  if (expected.length === actual.length) {
    for (const [index, value] of expected.entries()) compareValue(context, value, actual[index], `${path}[${index}]`);
    return;
  }
  report(context, path, `expected ${expected.length} elements, got ${actual.length}`);
  const pairs = pairByIdentity(expected, actual);
  if (pairs === undefined) return;
  for (const { name, theirs, ours } of pairs) {
    const at = `${path}[${name}]`;
    if (ours === undefined) report(context, at, 'missing');
    else if (theirs === undefined) report(context, at, `unexpected, got ${show(ours)}`);
    else compareValue(context, theirs, ours, at);
  }
}

interface Pair {
  name: string;
  theirs?: unknown;
  ours?: unknown;
}

/** Only to tell a difference in length better: elements with literal names are compared with their namesakes. */
function pairByIdentity(expected: readonly unknown[], actual: readonly unknown[]): Pair[] | undefined {
  const theirs = new Map(expected.map((value) => [identity(value), value]));
  const ours = new Map(actual.map((value) => [identity(value), value]));
  if (theirs.has('') || ours.has('') || theirs.size < expected.length || ours.size < actual.length) return undefined;
  if ([...theirs.keys()].some((name) => placeholdersIn(name).length > 0)) return undefined;
  const names = new Set([...theirs.keys(), ...ours.keys()]);
  return [...names].map((name) => ({ name, theirs: theirs.get(name), ours: ours.get(name) }));
}

function identity(value: unknown): string {
  if (!isObject(value)) return '';
  const metadata = isObject(value['metadata'])
    ? value['metadata']
    : isObject(value['object'])
      ? (value['object'] as Json)['metadata']
      : undefined;
  if (isObject(metadata) && typeof metadata['name'] === 'string') {
    return `${typeof metadata['namespace'] === 'string' ? `${metadata['namespace']}/` : ''}${metadata['name']}`;
  }
  const name = value['name'] ?? value['type'] ?? value['field'];
  return typeof name === 'string' ? name : '';
}

/** Whether two values agree; bindings stay only when they do. */
export function agrees(context: CompareContext, expected: unknown, actual: unknown, path: string): boolean {
  const mark = context.bindings.mark();
  const attempt = scratch(context);
  compareValue(attempt, expected, actual, path);
  if (attempt.differences.length === 0) return true;
  context.bindings.rollback(mark);
  return false;
}

/** Each expected element has to find one of its own; the order is free. */
export function compareUnordered(context: CompareContext, expected: readonly unknown[], actual: readonly unknown[], path: string): void {
  const free = new Set(actual.keys());
  const alone: number[] = [];
  for (const [index, value] of expected.entries()) {
    const candidates = free.has(index) ? [index, ...free] : [...free];
    const found = candidates.find((candidate) => agrees(context, value, actual[candidate], `${path}[${index}]`));
    if (found === undefined) alone.push(index);
    else free.delete(found);
  }
  const rest = [...free];
  for (const index of alone) {
    const at = `${path}[${index}]`;
    const candidate = rest.shift();
    if (candidate === undefined) report(context, at, `missing, expected ${show(expected[index])}`);
    else compareValue(context, expected[index], actual[candidate], at);
  }
  for (const index of rest) report(context, `${path}[${index}]`, `unexpected, got ${show(actual[index])}`);
}
