import type { Json, JsonObject } from '#libs/kernel';
import { activationOf, BudgetedEvaluation, OutOfBudgetError, policyCostMax, type Activation, type Evaluated } from '../../expressions';
import { byteLength } from '../../validation/formats';
import type { ResourceKind } from '../../kinds';
import type { Attributes } from '../attributes';
import { authorizeOf, compiledConditionsMet } from '../matching/conditions';
import { admissionRequest } from '../review-request';
import type { CompiledPolicy, CompiledValidation } from './policy';

/** What one expression of a policy says against a request. */
export interface Denial {
  readonly message: string;
  readonly reason?: string;
  /** The expression could not be evaluated. */
  readonly isError?: boolean;
}

/** What a policy says of a request, with one set of parameters (upstream: `ValidateResult`). */
export interface Judgement {
  /** For each validation, in order: what it denies for, if it does. */
  readonly denials: readonly (Denial | undefined)[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Annotations that could not be evaluated: these deny whatever the binding does with denials. */
  readonly annotationErrors: readonly string[];
}

const messageBytesMax = 5 * 1024;
const none: Judgement = { denials: [], annotations: [], annotationErrors: [] };

/** Evaluates a policy on a request. */
export function judgementOf(
  policy: CompiledPolicy,
  request: Attributes,
  matched: ResourceKind,
  params: JsonObject | null,
  namespaceObject: JsonObject | null,
): Judgement {
  const ignores = policy.spec.failurePolicy === 'Ignore';
  const failed = (message: string): Judgement => ({ ...none, denials: ignores ? [] : [{ message, isError: true }] });
  const input = {
    object: request.objectIn(matched),
    oldObject: request.oldIn(matched),
    request: admissionRequest(request, matched),
    params,
    authorize: authorizeOf(request),
  };
  const met =
    policy.conditions.length === 0 ||
    compiledConditionsMet(policy.conditions, policy.spec.failurePolicy, () => activationOf(input, policy.variables));
  if (met === false) return none;
  if (met !== true) return failed(met.error);
  try {
    // Variables are evaluated anew for each of the three lists.
    const activation = (): Activation => activationOf({ ...input, namespaceObject }, policy.variables);
    const { results, remaining } = validated(policy.validations, activation());
    const messages = messagesOf(policy.validations, activation(), remaining);
    const denials = results.map((result, index) =>
      denialOf(policy.validations[index] as CompiledValidation, result, messages, index, ignores),
    );
    return { denials, ...annotationsOf(policy, activation(), ignores) };
  } catch (error) {
    if (!(error instanceof OutOfBudgetError)) throw error;
    return failed(error.message);
  }
}

function validated(validations: readonly CompiledValidation[], activation: Activation): { results: Evaluated[]; remaining: number } {
  const budget = new BudgetedEvaluation(policyCostMax);
  const results = validations.map(({ text, program, problem }) =>
    program ? budget.evaluate(text, program, activation) : { error: `compilation error: ${problem ?? ''}` },
  );
  return { results, remaining: budget.remaining };
}

type Messages = readonly (Evaluated | undefined)[] | { readonly error: string };

/** What the validations' own expressions make of their messages, within what is left of the budget. */
function messagesOf(validations: readonly CompiledValidation[], activation: Activation, left: number): Messages {
  const budget = new BudgetedEvaluation(left);
  try {
    return validations.map(({ messageExpression }) =>
      messageExpression?.program ? budget.evaluate(messageExpression.text, messageExpression.program, activation) : undefined,
    );
  } catch (error) {
    if (!(error instanceof OutOfBudgetError)) throw error;
    return { error: error.message };
  }
}

function denialOf(
  { text, message = '', reason }: CompiledValidation,
  result: Evaluated,
  messages: Messages,
  index: number,
  ignores: boolean,
): Denial | undefined {
  const unknown = (why: string): Denial | undefined => (ignores ? undefined : { message: why, isError: true });
  if ('error' in result) return unknown(result.error);
  if ('error' in messages) return unknown(`failed messageExpression: ${messages.error}`);
  if (result.value === true) return undefined;
  const said = messages[index];
  const made = said && 'value' in said && typeof said.value === 'string' ? said.value.trim() : '';
  const isUsable = made !== '' && byteLength(made) <= messageBytesMax && !made.includes('\n');
  return { message: (isUsable ? made : message.trim()) || `failed expression: ${text.trim()}`, reason: reason || undefined };
}

function annotationsOf(
  { auditAnnotations }: CompiledPolicy,
  activation: Activation,
  ignores: boolean,
): Pick<Judgement, 'annotations' | 'annotationErrors'> {
  const budget = new BudgetedEvaluation(policyCostMax);
  const annotations: { key: string; value: string }[] = [];
  const annotationErrors: string[] = [];
  for (const { key, text, program, problem } of auditAnnotations) {
    const result: Evaluated = program ? budget.evaluate(text, program, activation) : { error: `compilation error: ${problem ?? ''}` };
    if ('error' in result) {
      if (!ignores) annotationErrors.push(result.error);
    } else if (typeof result.value === 'string') {
      const value = result.value.trim();
      if (value !== '') annotations.push({ key, value });
    } else if ((result.value as Json) !== null) {
      annotationErrors.push(`valueExpression '${text}' resulted in unsupported return type. Return type must be either string or null.`);
    }
  }
  return { annotations, annotationErrors };
}
