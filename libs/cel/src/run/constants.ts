import type { Call, Expr } from '../syntax/ast';
import type { Value } from '../values/value';

const conversions = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint']);

/**
 * The value of a conversion of a constant, made once when the expression is compiled; undefined for other calls.
 * @throws EvaluationError what the conversion fails with: so does the compilation
 */
export function constantOf(call: Call, convert: (call: Call) => Value): Value | undefined {
  const [arg] = call.args;
  if (call.target || call.args.length !== 1 || !conversions.has(call.name) || !arg || !isConstant(arg)) return undefined;
  return convert(call);
}

function isConstant(expr: Expr): boolean {
  switch (expr.kind) {
    case 'literal':
      return true;
    case 'list':
      return expr.optional.size === 0 && expr.elements.every(isConstant);
    case 'map':
      return expr.entries.every(({ key, value, isOptional }) => !isOptional && isConstant(key) && isConstant(value));
    case 'call':
      return !expr.target && expr.args.length === 1 && conversions.has(expr.name) && expr.args.every(isConstant);
    default:
      return false;
  }
}
