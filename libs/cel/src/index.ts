/**
 * The Common Expression Language as the API server of Kubernetes v1.34 has it: cel-go's syntax, checker, messages and cost estimates,
 * with Kubernetes' libraries. Pure. Held to recorded rules by test/golden/cel.
 *
 * ```ts
 * const declared = declareType(schema, 'selfType');               // of an OpenAPI schema; undefined: it has no type
 * const environment = new Environment(kubernetesFunctions(formats), new Map([['self', { type: declared.type, declared }]]));
 * const expression = compile('self.replicas <= 5', environment);  // throws CompilationError: its message shows the places
 * expression.estimatedCost();                                     // at most, in cel-go's units
 * const program = expression.program();                           // throws EvaluationError where a constant part fails
 * program.evaluate({ self: valueOf(object, schema) });            // throws EvaluationError
 * ```
 */
export * from './environment';
export type { FormatCheck } from './library/named-formats';
export * from './expression';
export {
  authorizerType,
  AuthorizerValue,
  ResourceCheck,
  resourceCheckType,
  type AuthorizationAnswer,
  type AuthorizationQuestion,
  type Authorize,
} from './library/authorizer';
export { quantityType } from './library/quantities';
export { compiledRegex } from './library/regex';
export { parseRequestUri } from './library/go-url';
export { CostLimitError, LimitedMeter, type Meter } from './run/meter';
export { fieldPathEscapes } from './rules/field-path';
export { compileRule, type CompiledRule, type Rule, type RuleFailure } from './rules/rule';
export { declareType, requestBytesMax } from './schema/declare';
export { DeclaredType } from './schema/declared-type';
export { escapeName, unescapeName } from './schema/names';
export type { Schema } from './schema/schema';
export { anyValue, valueOf } from './schema/values';
export { define, functionTable, member, overload } from './types/functions';
export * from './types/type';
export * from './values/value';
export { formatDouble } from './values/numbers';
export { formatDuration } from './values/durations';
export { formatTimestamp } from './values/timestamps';
