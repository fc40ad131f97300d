import type { Rule } from '#libs/cel';
import { invalidValue, required, unsupported } from '../../status/field-error';
import { isSet, type Errors } from '../../validation/values';
import { findPath } from './field-paths';
import type { GivenSchema } from './given-schema';
import { structuralProblem } from './structural-form';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const hasNewlines = (text: string): boolean => /[\n\r]/.test(text);

/** What is wrong with the rules of a schema before any of them is compiled. */
export function validateRuleFields(schema: GivenSchema, field: string, errors: Errors): void {
  for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    const at = `${field}.x-kubernetes-validations[${index}]`;
    validateTexts(rule, at, errors);
    if (isSet(rule.reason) && !reasons.includes(rule.reason as string)) errors.push(unsupported(`${at}.reason`, rule.reason, reasons));
    if (rule.fieldPath) validateFieldPath(schema, rule.fieldPath, `${at}.fieldPath`, errors);
  }
}

function validateTexts({ rule = '', message = '', messageExpression = '' }: Rule, at: string, errors: Errors): void {
  const said = message.trim();
  if (rule.trim() === '') errors.push(required(`${at}.rule`, 'rule is not specified'));
  else if (message !== '' && said === '') errors.push(invalidValue(`${at}.message`, message, 'must be non-empty if specified'));
  else if (hasNewlines(said)) errors.push(invalidValue(`${at}.message`, message, 'must not contain line breaks'));
  else if (hasNewlines(rule.trim()) && said === '') {
    errors.push(required(`${at}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
}

function validateFieldPath(schema: GivenSchema, path: string, at: string, errors: Errors): void {
  if (path.trim() === '') errors.push(invalidValue(at, path, 'must be non-empty if specified'));
  if (hasNewlines(path)) errors.push(invalidValue(at, path, 'must not contain line breaks'));
  if (structuralProblem(schema) === undefined && 'problem' in findPath(path, schema)) {
    errors.push(invalidValue(at, path, 'must be a valid path'));
  }
}
