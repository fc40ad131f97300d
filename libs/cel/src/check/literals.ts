import type { Issue } from '../source';
import { childrenOf, walk, type Call, type Expr } from '../syntax/ast';
import { parseGoDuration } from '../values/durations';
import { parseTimestamp, timestamp } from '../values/timestamps';
import { EvaluationError } from '../values/value';
import { heldType, isSameType, type Type } from '../types/type';
import { compiledRegex } from '../library/regex';
import type { Checked } from './checker';

/** What is wrong with literals of a checked expression: times and patterns that cannot be read, lists and maps of several types. */
export function checkLiterals(checked: Checked, issues: Issue[]): void {
  const calls = [...walk(checked.expr)].filter((expr): expr is Call => expr.kind === 'call');
  for (const [name, isGood] of literalArguments) {
    for (const call of calls) {
      const [arg] = call.args;
      if (call.name !== name || arg?.kind !== 'literal') continue;
      if (!isGood(arg.value)) issues.push({ message: `invalid ${name} argument`, offset: arg.at });
    }
  }
  checkElements(checked, checked.expr, issues);
}

const literalArguments: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['duration', (value) => typeof value === 'string' && parseGoDuration(value) !== undefined],
  ['timestamp', isTimestamp],
  ['matches', (value) => typeof value === 'string' && succeeds(() => compiledRegex(value))],
];

function isTimestamp(value: unknown): boolean {
  if (typeof value === 'bigint') return succeeds(() => timestamp(value * 1_000_000_000n));
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  return parsed !== undefined && succeeds(() => timestamp(parsed.nanos));
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}

/** Elements of one literal have one type; the arguments of `format` are exempt. */
function checkElements({ types }: Checked, root: Expr, issues: Issue[]): void {
  const typeOf = (expr: Expr, isOptional: boolean): Type => {
    const type = types.get(expr) as Type;
    return isOptional ? (heldType(type) ?? type) : type;
  };
  const tell = (expr: Expr, expected: Type, actual: Type): boolean => {
    if (isSameType(expected, actual)) return false;
    issues.push({ message: `expected type '${expected}' but found '${actual}'`, offset: expr.at });
    return true;
  };
  const visit = (expr: Expr): void => {
    if (expr.kind === 'call' && expr.name === 'format') return;
    if (expr.kind === 'list') {
      const [first] = expr.elements;
      // The first that differs is told alone.
      expr.elements.some((element, index) =>
        tell(element, typeOf(first as Expr, expr.optional.has(0)), typeOf(element, expr.optional.has(index))),
      );
    }
    if (expr.kind === 'map') {
      const [first] = expr.entries;
      for (const { key, value, isOptional } of expr.entries) {
        if (!first) break;
        tell(key, typeOf(first.key, false), typeOf(key, false));
        tell(value, typeOf(first.value, first.isOptional), typeOf(value, isOptional));
      }
    }
    childrenOf(expr).forEach(visit);
  };
  visit(root);
}
