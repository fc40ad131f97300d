import { fillClauses, FormatError, wrongType, type Clause } from '../library/format-clauses';
import type { Issue } from '../source';
import { walk, type Call, type Expr } from '../syntax/ast';
import type { Type, TypeKind } from '../types/type';
import type { Checked } from './checker';

const takes: Readonly<Record<Clause['verb'], readonly TypeKind[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

/** `'…'.format([…])` of literals: clauses that cannot be read, and arguments that do not go with theirs. */
export function checkFormatCalls(checked: Checked, issues: Issue[]): void {
  for (const call of walk(checked.expr)) {
    const literal = call.kind === 'call' ? literalFormat(call, checked) : undefined;
    if (literal) checkFormat(call.at, literal, checked, issues);
  }
}

function literalFormat(call: Call, { overloads }: Checked): [string, Expr[]] | undefined {
  const [args] = call.args;
  if (call.name !== 'format' || call.target?.kind !== 'literal' || typeof call.target.value !== 'string') return undefined;
  if (args?.kind !== 'list' || overloads.get(call)?.includes('string_format') === false) return undefined;
  return [call.target.value, args.elements];
}

function checkFormat(at: number, [format, args]: [string, Expr[]], checked: Checked, issues: Issue[]): void {
  let taken = 0;
  let place = at;
  try {
    fillClauses(format, args.length, ({ verb }, index) => {
      taken += 1;
      const bad = misfit(args[index] as Expr, verb, checked);
      if (!bad) return '';
      place = bad.at;
      throw new FormatError(`${wrongType[verb]} ${(checked.types.get(bad) as Type).name}`);
    });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    issues.push({ message: error.message, offset: place });
    return;
  }
  if (args.length > taken) {
    issues.push({ message: `too many arguments supplied to string.format (expected ${taken}, got ${args.length})`, offset: at });
  }
}

/** The expression that does not go with the clause: for `%s` it may be deep in a list or map. */
function misfit(expr: Expr, verb: Clause['verb'], checked: Checked): Expr | undefined {
  const type = checked.types.get(expr) as Type;
  if (type.kind !== 'dyn' && !takes[verb].includes(type.kind)) return expr;
  if (verb !== 's') return undefined;
  const inner = expr.kind === 'list' ? expr.elements : expr.kind === 'map' ? expr.entries.flatMap(({ key, value }) => [key, value]) : [];
  for (const child of inner) {
    const bad = misfit(child, verb, checked);
    if (bad) return bad;
  }
  return undefined;
}
