import { duplicate, invalidField, invalidValue, required, tooLong, tooMany, unsupported } from '../../../status/field-error';
import { goQuote } from '../../../status/go-value';
import { byteLength } from '../../../validation/formats';
import { isSet, listOf, validateNonNegative, validateQualifiedName, type Errors, type Loose } from '../../../validation/values';
import { countIndexes } from './indexes';

const rulesMax = 20;
const exitCodesMax = 255;
const patternsMax = 20;
const indexesBytesMax = 64 * 1024;

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** A closed set of values, of which one must be given. */
function validateGiven(value: string | undefined, values: readonly string[], field: string, errors: Errors): void {
  if (!value) errors.push(required(field, `valid values: [${values.map(goQuote).join(' ')}]`));
  else if (!values.includes(value)) errors.push(unsupported(field, value, values));
}

/** What is done about pods that fail. */
export function validatePodFailurePolicy(spec: Loose, field: string, errors: Errors): void {
  const rules = listOf(spec.podFailurePolicy.rules);
  if (rules.length > rulesMax) errors.push(tooMany(`${field}.rules`, rules.length, rulesMax));
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = new Set<string>([...listOf(containers), ...listOf(initContainers)].map(({ name = '' }) => name));
  for (const [index, rule] of rules.entries()) validateFailureRule(spec, rule, names, `${field}.rules[${index}]`, errors);
}

function validateFailureRule(spec: Loose, rule: Loose, containers: ReadonlySet<string>, field: string, errors: Errors): void {
  const patterns = listOf(rule.onPodConditions);
  if (rule.action === 'FailIndex') {
    if (!isSet(spec.backoffLimitPerIndex)) {
      errors.push(invalidValue(`${field}.action`, rule.action, 'requires the backoffLimitPerIndex to be set'));
    }
  } else validateGiven(rule.action, actions, `${field}.action`, errors);
  if (isSet(rule.onExitCodes)) validateExitCodes(rule.onExitCodes, containers, `${field}.onExitCodes`, errors);
  if (patterns.length > patternsMax) errors.push(tooMany(`${field}.onPodConditions`, patterns.length, patternsMax));
  for (const [index, { type = '', status }] of patterns.entries()) {
    const at = `${field}.onPodConditions[${index}]`;
    validateQualifiedName(type, `${at}.type`, errors);
    validateGiven(status, statuses, `${at}.status`, errors);
  }
  if (isSet(rule.onExitCodes) && patterns.length > 0) {
    errors.push(invalidField(field, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (!isSet(rule.onExitCodes) && patterns.length === 0) {
    errors.push(invalidField(field, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
}

function validateExitCodes(requirement: Loose, containers: ReadonlySet<string>, field: string, errors: Errors): void {
  const { operator, containerName } = requirement;
  validateGiven(operator, operators, `${field}.operator`, errors);
  if (isSet(containerName) && !containers.has(containerName)) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(`${field}.containerName`, containerName, text));
  }
  const codes: number[] = listOf(requirement.values);
  if (codes.length === 0) errors.push(invalidValue(`${field}.values`, requirement.values ?? null, 'at least one value is required'));
  else if (codes.length > exitCodesMax) errors.push(tooMany(`${field}.values`, codes.length, exitCodesMax));
  const seen = new Set<number>();
  for (const [index, code] of codes.entries()) {
    if (operator === 'In' && code === 0) errors.push(invalidValue(`${field}.values[${index}]`, code, 'must not be 0 for the In operator'));
    if (seen.has(code)) errors.push(duplicate(`${field}.values[${index}]`, code));
    seen.add(code);
  }
  if (codes.some((code, index) => index > 0 && (codes[index - 1] as number) > code)) {
    errors.push(invalidValue(`${field}.values`, codes, 'must be ordered'));
  }
}

/** When an Indexed Job has succeeded, though not all of its pods have. */
export function validateSuccessPolicy(spec: Loose, field: string, errors: Errors): void {
  const rules = listOf(spec.successPolicy.rules);
  if (rules.length === 0)
    errors.push(required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > rulesMax) errors.push(tooMany(`${field}.rules`, rules.length, rulesMax));
  for (const [index, rule] of rules.entries()) validateSuccessRule(spec.completions ?? 0, rule, `${field}.rules[${index}]`, errors);
}

function validateSuccessRule(
  completions: number,
  { succeededCount: count, succeededIndexes: indexes }: Loose,
  field: string,
  errors: Errors,
): void {
  if (!isSet(count) && !isSet(indexes)) {
    errors.push(required(field, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (isSet(indexes)) {
    const at = `${field}.succeededIndexes`;
    if (byteLength(indexes) > indexesBytesMax) errors.push(tooLong(at, indexesBytesMax));
    const counted = countIndexes(indexes, completions);
    if (typeof counted === 'number') total = counted;
    else errors.push(invalidValue(at, indexes, `error parsing succeededIndexes: ${counted.error}`));
  }
  if (!isSet(count)) return;
  const at = `${field}.succeededCount`;
  const atMost = (limit: number, what: string): void => {
    if (count > limit) errors.push(invalidValue(at, count, `must be less than or equal to ${limit} (the number of ${what})`));
  };
  validateNonNegative(count, at, errors);
  atMost(completions, 'specified completions');
  if (isSet(indexes)) atMost(total, 'indexes in the specified succeededIndexes field');
}
