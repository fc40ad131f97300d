import { check, type Checked } from './check/checker';
import { checkFormatCalls } from './check/format-calls';
import { checkLiterals } from './check/literals';
import { estimateCost } from './cost/estimate';
import type { Environment } from './environment';
import { LimitedMeter, type Meter } from './run/meter';
import { planOf } from './run/plan';
import { Source, type Issue } from './source';
import { parse } from './syntax/parser';
import type { Type } from './types/type';
import type { Value } from './values/value';

/** An expression that does not compile: all that is wrong with it, each with its place and line. */
export class CompilationError extends Error {}

/** What an evaluation may cost at most, unless told otherwise: the API server's limit for one call. */
const costMax = 1_000_000;

export interface Program {
  /** @param variables those that the expression names have to be there. @throws EvaluationError */
  evaluate(variables: Readonly<Record<string, Value>>, meter?: Meter): Value;
}

/** A checked expression. */
export class Expression {
  constructor(
    private readonly checked: Checked,
    private readonly environment: Environment,
  ) {}

  get type(): Type {
    return this.checked.types.get(this.checked.expr) as Type;
  }

  /** Whether it names a variable of the environment. */
  names(variable: string): boolean {
    return [...this.checked.references.values()].includes(variable);
  }

  /** The most that an evaluation may cost, by the sizes that the variables' schemas allow. 2⁶⁴: no bound is known. */
  estimatedCost(): number {
    return estimateCost(this.checked, this.environment);
  }

  /** @throws EvaluationError where a constant part of it fails already */
  program(): Program {
    const { run, variables, slots } = planOf(this.checked, this.environment);
    const names = [...variables];
    return {
      evaluate: (values, meter = new LimitedMeter(costMax)) => {
        const frame = { slots: Array.from<Value>({ length: slots }), meter };
        for (const [name, slot] of names) frame.slots[slot] = values[name] as Value;
        return run(frame);
      },
    };
  }
}

/** @throws CompilationError */
export function compile(text: string, environment: Environment): Expression {
  const source = new Source(text);
  const issues: Issue[] = [];
  const refuse = (): never => {
    throw new CompilationError(source.tell(issues));
  };
  const expr = parse(source, issues, environment.hasBindings) ?? refuse();
  const checked = check(expr, environment, issues);
  if (issues.length > 0) refuse();
  checkLiterals(checked, issues);
  checkFormatCalls(checked, issues);
  if (issues.length > 0) refuse();
  return new Expression(checked, environment);
}
