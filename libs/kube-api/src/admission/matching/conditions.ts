import { boolType, type Authorize, type Expression, type Program } from '#libs/cel';
import type { JsonObject } from '#libs/kernel';
import {
  activationOf,
  AdmissionExpressions,
  BudgetedEvaluation,
  conditionsCostMax,
  OutOfBudgetError,
  type Activation,
} from '../../expressions';
import type { ResourceKind } from '../../kinds';
import type { Attributes } from '../attributes';
import { admissionRequest } from '../review-request';

/** `admissionregistration.k8s.io/v1 MatchCondition` */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface CompiledCondition {
  readonly expression: string;
  readonly compiled?: Expression;
  readonly program?: Program;
  readonly problem?: string;
}

/** Whether the request is meant; an error where nobody can say and the failure policy is to fail. */
export type ConditionsMet = boolean | { readonly error: string };

export function compileConditions(
  conditions: readonly MatchCondition[],
  expressions = new AdmissionExpressions(),
  hasParams = false,
): CompiledCondition[] {
  return conditions.map(({ expression }) => {
    const compiled = expressions.compile(expression.trim(), [boolType], { hasParams, hasAuthorizer: true });
    return { expression, compiled: compiled.expression, program: compiled.program, problem: compiled.problem };
  });
}

const compiled = new WeakMap<readonly MatchCondition[], CompiledCondition[]>();

/** Match conditions of a webhook (upstream: `matchconditions.matcher`). */
export function conditionsMet(
  conditions: readonly MatchCondition[],
  failurePolicy: string | undefined,
  request: Attributes,
  matched: ResourceKind,
): ConditionsMet {
  let known = compiled.get(conditions);
  if (!known) compiled.set(conditions, (known = compileConditions(conditions)));
  return compiledConditionsMet(known, failurePolicy, () => activationFor(request, matched));
}

/** One that is false is enough for the request not to be meant; else one that fails is. */
export function compiledConditionsMet(
  conditions: readonly CompiledCondition[],
  failurePolicy: string | undefined,
  activation: () => Activation,
): ConditionsMet {
  const ignores = failurePolicy === 'Ignore';
  const errors: string[] = [];
  const budget = new BudgetedEvaluation(conditionsCostMax);
  const values = activation();
  try {
    for (const { expression, program, problem } of conditions) {
      if (!program) {
        errors.push(`compilation error: ${problem ?? ''}`);
        continue;
      }
      const evaluated = budget.evaluate(expression, program, values);
      if ('error' in evaluated) errors.push(evaluated.error);
      else if (evaluated.value === false) return false;
    }
  } catch (error) {
    if (!(error instanceof OutOfBudgetError)) throw error;
    return ignores ? false : { error: error.message };
  }
  if (errors.length === 0) return true;
  if (ignores) return false;
  return { error: aggregated(errors) };
}

/** As Go joins errors: equal ones once. */
export function aggregated(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
}

/** The values that expressions about a request see, in the version that it was matched in. */
export function activationFor(
  request: Attributes,
  matched: ResourceKind,
  more: { params?: JsonObject | null; namespaceObject?: JsonObject | null } = {},
): Activation {
  return activationOf({
    object: request.objectIn(matched),
    oldObject: request.oldIn(matched),
    request: admissionRequest(request, matched),
    authorize: authorizeOf(request),
    ...more,
  });
}

/** Who says what the caller may do. */
export function authorizeOf({ called }: Attributes): Authorize {
  const { user, authorize } = called.caller;
  if (authorize) return authorize;
  const allowed = user.groups?.includes('system:masters') ?? false;
  return ({ serviceAccount }) => ({ allowed: allowed && !serviceAccount, reason: '' });
}
