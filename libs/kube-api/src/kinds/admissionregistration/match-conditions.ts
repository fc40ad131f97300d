import { boolType } from '#libs/cel';
import { AdmissionExpressions } from '../../expressions/admission';
import { duplicate, invalidValue, required, tooMany } from '../../status/field-error';
import { listOf, validateQualifiedName, type Errors, type Loose } from '../../validation/values';

const conditionsMax = 64;

/** Names, and expressions that have to compile to a truth. @param hasParams they may name `params` */
export function validateMatchConditions(conditions: unknown, field: string, errors: Errors, hasParams = false): void {
  const list = listOf(conditions);
  if (list.length > conditionsMax) errors.push(tooMany(field, list.length, conditionsMax));
  const seen = new Set<string>();
  for (const [index, condition] of list.entries()) {
    const { name = '', expression = '' } = (condition ?? {}) as Loose;
    const at = `${field}[${index}]`;
    if (expression.trim() === '') errors.push(required(`${at}.expression`));
    else validateExpression(expression.trim(), `${at}.expression`, hasParams, errors);
    if (name === '') errors.push(required(`${at}.name`));
    else {
      validateQualifiedName(name, `${at}.name`, errors);
      if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
      seen.add(name);
    }
  }
}

function validateExpression(expression: string, field: string, hasParams: boolean, errors: Errors): void {
  const { problem } = new AdmissionExpressions().compile(expression, [boolType], { hasParams, hasAuthorizer: true });
  if (problem !== undefined) errors.push(invalidValue(field, expression, problem));
}
