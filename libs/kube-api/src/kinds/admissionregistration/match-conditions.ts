import { duplicate, required, tooMany } from '../../status/field-error';
import { listOf, validateQualifiedName, type Errors, type Loose } from '../../validation/values';

const conditionsMax = 64;

/** Names and presence; expressions are not compiled: this server has no CEL yet. */
export function validateMatchConditions(conditions: unknown, field: string, errors: Errors): void {
  const list = listOf(conditions);
  if (list.length > conditionsMax) errors.push(tooMany(field, list.length, conditionsMax));
  const seen = new Set<string>();
  for (const [index, condition] of list.entries()) {
    const { name = '', expression = '' } = (condition ?? {}) as Loose;
    const at = `${field}[${index}]`;
    if (expression.trim() === '') errors.push(required(`${at}.expression`));
    if (name === '') errors.push(required(`${at}.name`));
    else {
      validateQualifiedName(name, `${at}.name`, errors);
      if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
      seen.add(name);
    }
  }
}
