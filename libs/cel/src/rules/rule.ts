import { Environment } from '../environment';
import { CompilationError, compile, type Expression, type Program } from '../expression';
import { CostLimitError, LimitedMeter, type Meter } from '../run/meter';
import type { DeclaredType } from '../schema/declared-type';
import { withObjectMeta, type Schema } from '../schema/schema';
import { valueOf } from '../schema/values';
import type { FunctionDecl } from '../types/functions';
import { optionalOf } from '../types/type';
import { EvaluationError, Optional, type Value } from '../values/value';
import { normalizeFieldPath } from './field-path';

/** One of `x-kubernetes-validations`. */
export interface Rule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** What a rule says of a value that it does not hold for. */
export interface RuleFailure {
  detail: string;
  reason: string | undefined;
  /** Below the value. */
  fieldPath: string | undefined;
  /** The rule is false, rather than unable to say. */
  isFalse: boolean;
}

/** A rule that is ready to be asked; where it is not, `problem` or `messageProblem` say why. */
export interface CompiledRule {
  problem?: string;
  messageProblem?: string;
  usesOldSelf: boolean;
  /** The most that asking it once may cost. */
  cost: number;
  messageCost: number;
  /**
   * Undefined: the rule holds, or cannot be asked without an old value. @param old undefined: there is none
   * @throws CostLimitError when it costs more than one call may
   */
  ask(value: unknown, old: unknown, meter?: Meter): RuleFailure | undefined;
}

export interface RuleContext {
  schema: Schema;
  declared: DeclaredType;
  functions: ReadonlyMap<string, FunctionDecl>;
  /** The values are whole objects. */
  isWhole?: boolean;
}

const messageBytesMax = 5 * 1024;

/** Compiles a rule on the values of a schema, as the API server does when a definition is created (apiextensions, `schema/cel`). */
export function compileRule(rule: Rule, context: RuleContext): CompiledRule {
  const { declared } = context;
  const oldType = rule.optionalOldSelf ? optionalOf(declared.type) : declared.type;
  const environment = new Environment(
    context.functions,
    new Map([
      ['self', { type: declared.type, declared }],
      ['oldSelf', { type: oldType, declared }],
    ]),
  );
  const main = prepare(rule.rule, environment, 'bool', 'cel expression must evaluate to a bool', ['compilation', 'program instantiation']);
  const compiled: CompiledRule = {
    usesOldSelf: main.expression?.names('oldSelf') ?? false,
    cost: main.cost,
    messageCost: 0,
    ask: () => undefined,
  };
  if (main.problem !== undefined) return { ...compiled, problem: main.problem };
  const message = rule.messageExpression
    ? prepare(rule.messageExpression, environment, 'string', 'messageExpression must evaluate to a string', [
        'messageExpression compilation',
        'messageExpression instantiation',
      ])
    : undefined;
  const asked = new AskedRule(rule, context, main.program as Program, message?.program, compiled.usesOldSelf);
  const ask: CompiledRule['ask'] = (value, old, meter) => asked.ask(value, old, meter);
  return { ...compiled, messageProblem: message?.problem, messageCost: message?.cost ?? 0, ask };
}

interface Prepared {
  problem?: string;
  expression?: Expression;
  program?: Program;
  cost: number;
}

function prepare(
  text: string,
  environment: Environment,
  kind: string,
  otherwise: string,
  [compiling, instantiating]: [string, string],
): Prepared {
  try {
    const expression = compile(text, environment);
    if (expression.type.kind !== kind) return { problem: otherwise, expression, cost: 0 };
    const program = expression.program();
    return { expression, program, cost: expression.estimatedCost() };
  } catch (error) {
    if (error instanceof CompilationError) return { problem: `${compiling} failed: ${error.message}`, cost: 0 };
    if (error instanceof EvaluationError) return { problem: `${instantiating} failed: ${error.message}`, cost: 0 };
    throw error;
  }
}

class AskedRule {
  private readonly schema: Schema;
  private readonly fieldPath: string | undefined;

  constructor(
    private readonly rule: Rule,
    { schema, isWhole }: RuleContext,
    private readonly program: Program,
    private readonly messageProgram: Program | undefined,
    private readonly usesOldSelf: boolean,
  ) {
    this.schema = isWhole ? withObjectMeta(schema) : schema;
    this.fieldPath = rule.fieldPath ? normalizeFieldPath(rule.fieldPath, schema) : undefined;
  }

  ask(value: unknown, old: unknown, meter?: Meter): RuleFailure | undefined {
    const hasOld = old !== undefined && old !== null;
    if (this.usesOldSelf && !hasOld && !this.rule.optionalOldSelf) return undefined;
    const failed = (detail: string, isFalse: boolean): RuleFailure => ({
      detail,
      isFalse,
      reason: isFalse ? this.rule.reason : undefined,
      fieldPath: isFalse ? this.fieldPath : undefined,
    });
    let variables: Record<string, Value>;
    try {
      variables = this.variables(value, hasOld ? old : undefined);
      if (this.program.evaluate(variables, meter) === true) return undefined;
    } catch (error) {
      if (error instanceof EvaluationError && !(error instanceof CostLimitError)) return failed(this.whyNot(error), false);
      throw error;
    }
    // Messages know no optional: what is written for one fails, and the plain message takes its place.
    const known = this.rule.optionalOldSelf ? this.plainVariables(variables, hasOld ? old : undefined) : variables;
    return failed(this.messageOf(known) ?? this.plainMessage(), true);
  }

  private variables(value: unknown, old: unknown): Record<string, Value> {
    const self = valueOf(value, this.schema);
    if (!this.usesOldSelf) return { self };
    if (!this.rule.optionalOldSelf) return { self, oldSelf: valueOf(old, this.schema) };
    return { self, oldSelf: old === undefined ? Optional.none : Optional.of(valueOf(old, this.schema)) };
  }

  private plainVariables({ self }: Record<string, Value>, old: unknown): Record<string, Value> {
    return old === undefined ? { self: self as Value } : { self: self as Value, oldSelf: valueOf(old, this.schema) };
  }

  private get name(): string {
    return (this.rule.message || this.rule.rule).trim();
  }

  private whyNot({ message }: EvaluationError): string {
    if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${this.name}`;
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${this.name}`;
  }

  private plainMessage(): string {
    return this.rule.message ? this.rule.message.trim() : `failed rule: ${this.name}`;
  }

  /** What the rule's own expression says; undefined: nothing of use. */
  private messageOf(variables: Record<string, Value>): string | undefined {
    if (!this.messageProgram) return undefined;
    try {
      const message = this.messageProgram.evaluate(variables, new LimitedMeter(1_000_000));
      const text = typeof message === 'string' ? message.trim() : '';
      const isGood = text !== '' && !text.includes('\n') && new TextEncoder().encode(text).length <= messageBytesMax;
      return isGood ? text : undefined;
    } catch (error) {
      if (error instanceof EvaluationError && !(error instanceof CostLimitError)) return undefined;
      throw error;
    }
  }
}
