// The message of a refused object, `X "n" is invalid: [a, b]`: parts that come from one map may change places, nothing else may.
import { mapOfField } from './left-open';
import { mismatch } from './match';
import type { CompareContext } from './context';
import { report } from './context';

interface Cause {
  field: string;
  text: string;
}

function causesOf(status: Record<string, unknown>): Cause[] {
  const details = status['details'] as { causes?: unknown } | null | undefined;
  if (typeof details !== 'object' || details === null || !Array.isArray(details.causes)) return [];
  return details.causes
    .filter((cause: unknown): cause is Record<string, unknown> => typeof cause === 'object' && cause !== null)
    .map((cause) => ({ field: String(cause['field']), text: `${String(cause['field'])}: ${String(cause['message'])}` }));
}

interface Parts {
  /** Up to and with the opening bracket. */
  head: string;
  parts: Cause[];
}

/** Cuts the message into the causes' texts; undefined when it is not made of them. */
function cut(status: Record<string, unknown>): Parts | undefined {
  const message = status['message'];
  const open = typeof message === 'string' ? message.indexOf(' is invalid: [') : -1;
  if (typeof message !== 'string' || open < 0 || !message.endsWith(']')) return undefined;
  const head = message.slice(0, open + ' is invalid: ['.length);
  const causes = causesOf(status).toSorted((a, b) => b.text.length - a.text.length);
  const parts: Cause[] = [];
  let rest = message.slice(head.length, -1);
  while (rest !== '') {
    const next = causes.find(({ text }) => rest === text || rest.startsWith(`${text}, `));
    if (next === undefined) return undefined;
    parts.push(next);
    rest = rest.slice(next.text.length + 2);
  }
  return { head, parts };
}

/** Answers false when the message is to be compared as it stands. */
export function compareInvalidMessage(
  context: CompareContext,
  expected: Record<string, unknown>,
  actual: Record<string, unknown>,
  path: string,
): boolean {
  const theirs = cut(expected);
  const ours = theirs === undefined ? undefined : cut(actual);
  if (theirs === undefined || ours === undefined || theirs.parts.length !== ours.parts.length) return false;
  if (theirs.parts.every(({ field }) => mapOfField(field) === undefined)) return false;
  const mark = context.bindings.mark();
  if (mismatch(context, theirs.head, ours.head) === undefined && sameUpToMaps(context, theirs.parts, ours.parts)) return true;
  context.bindings.rollback(mark);
  report(context, path, mismatch(context, String(expected['message']), String(actual['message'])) ?? 'parts in another order');
  return true;
}

function sameUpToMaps(context: CompareContext, expected: readonly Cause[], actual: readonly Cause[]): boolean {
  const free = new Set(actual.keys());
  return expected.every((part, index) => {
    const [from, to] = runAround(expected, index);
    const found = [...free].find((at) => {
      if (at < from || at > to) return false;
      const mark = context.bindings.mark();
      if (mismatch(context, part.text, actual[at]?.text ?? '') === undefined) return true;
      context.bindings.rollback(mark);
      return false;
    });
    if (found !== undefined) free.delete(found);
    return found !== undefined;
  });
}

/** First and last index of the neighbours whose field lies in the same map. */
function runAround(parts: readonly Cause[], index: number): [number, number] {
  const map = mapOfField(parts[index]?.field ?? '');
  let [from, to] = [index, index];
  if (map === undefined) return [from, to];
  while (from > 0 && mapOfField(parts[from - 1]?.field ?? '') === map) from -= 1;
  while (to + 1 < parts.length && mapOfField(parts[to + 1]?.field ?? '') === map) to += 1;
  return [from, to];
}
