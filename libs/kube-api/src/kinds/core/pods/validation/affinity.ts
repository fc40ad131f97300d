import { forbidden, invalidValue, required } from '../../../../status/field-error';
import { validateLabelName, validateObjectSelector } from '../../../../selectors/object-selector';
import { isDnsLabel, isDnsSubdomain, isLabelValue } from '../../../../validation/formats';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateTexts } from '../../../../validation/values';

const hard = 'requiredDuringSchedulingIgnoredDuringExecution';
const soft = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(affinity: Loose, field: string, errors: Errors): void {
  if (!isSet(affinity)) return;
  if (isSet(affinity.nodeAffinity)) validateNodeAffinity(affinity.nodeAffinity, `${field}.nodeAffinity`, errors);
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    if (isSet(affinity[side])) validatePodAffinity(affinity[side], `${field}.${side}`, errors);
  }
}

function validateNodeAffinity(affinity: Loose, field: string, errors: Errors): void {
  if (isSet(affinity[hard])) validateNodeSelector(affinity[hard], `${field}.${hard}`, errors);
  for (const [index, term] of listOf(affinity[soft]).entries()) {
    const at = `${field}.${soft}[${index}]`;
    validateWeight(term.weight, `${at}.weight`, errors);
    validateNodeTerm(term.preference ?? {}, true, `${at}.preference`, errors);
  }
}

function validateWeight(weight: unknown, field: string, errors: Errors): void {
  const value = typeof weight === 'number' ? weight : 0;
  if (value <= 0 || value > 100) errors.push(invalidValue(field, value, 'must be in the range 1-100'));
}

/** @param anyValue values of labels are not looked at */
export function validateNodeSelector(selector: Loose, field: string, errors: Errors, anyValue = false): void {
  const terms = listOf(selector.nodeSelectorTerms);
  if (terms.length === 0) errors.push(required(`${field}.nodeSelectorTerms`, 'must have at least one node selector term'));
  for (const [index, term] of terms.entries()) validateNodeTerm(term, anyValue, `${field}.nodeSelectorTerms[${index}]`, errors);
}

function validateNodeTerm(term: Loose, anyValue: boolean, field: string, errors: Errors): void {
  for (const [index, expression] of listOf(term.matchExpressions).entries()) {
    validateNodeExpression(expression, anyValue, `${field}.matchExpressions[${index}]`, errors);
  }
  for (const [index, expression] of listOf(term.matchFields).entries()) {
    validateNodeField(expression, `${field}.matchFields[${index}]`, errors);
  }
}

function validateNodeExpression({ key = '', operator = '', values }: Loose, anyValue: boolean, field: string, errors: Errors): void {
  const count = listOf(values).length;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count === 0) errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (count > 0) errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (count !== 1) errors.push(required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalidValue(`${field}.operator`, operator, 'not a valid selector operator'));
  }
  errors.push(...validateLabelName(key, `${field}.key`));
  if (anyValue) return;
  for (const [index, value] of listOf(values).entries()) validateTexts(isLabelValue(value), value, `${field}.values[${index}]`, errors);
}

function validateNodeField({ key = '', operator = '', values }: Loose, field: string, errors: Errors): void {
  if (operator !== 'In' && operator !== 'NotIn') errors.push(invalidValue(`${field}.operator`, operator, 'not a valid selector operator'));
  else if (listOf(values).length !== 1) {
    errors.push(required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (key !== 'metadata.name') errors.push(invalidValue(`${field}.key`, key, 'not a valid field selector key'));
  else
    for (const [index, value] of listOf(values).entries()) validateTexts(isDnsSubdomain(value), value, `${field}.values[${index}]`, errors);
}

function validatePodAffinity(affinity: Loose, field: string, errors: Errors): void {
  for (const [index, term] of listOf(affinity[hard]).entries()) validatePodTerm(term, `${field}.${hard}[${index}]`, errors);
  for (const [index, term] of listOf(affinity[soft]).entries()) {
    const at = `${field}.${soft}[${index}]`;
    validateWeight(term.weight, `${at}.weight`, errors);
    validatePodTerm(term.podAffinityTerm ?? {}, `${at}.podAffinityTerm`, errors);
  }
}

function validatePodTerm(term: Loose, field: string, errors: Errors): void {
  errors.push(...validateObjectSelector(term.labelSelector, {}, `${field}.labelSelector`));
  errors.push(...validateObjectSelector(term.namespaceSelector, {}, `${field}.namespaceSelector`));
  for (const name of listOf(term.namespaces)) validateTexts(isDnsLabel(name), name, `${field}.namespace`, errors);
  validateTermKeys(term, field, errors);
  const key: string = term.topologyKey ?? '';
  if (key === '') errors.push(required(`${field}.topologyKey`, 'can not be empty'));
  errors.push(...validateLabelName(key, `${field}.topologyKey`));
}

/** matchLabelKeys and mismatchLabelKeys: need a selector to become part of, must not contradict it nor each other. */
function validateTermKeys(term: Loose, field: string, errors: Errors): void {
  const match = listOf(term.matchLabelKeys);
  const mismatch = listOf(term.mismatchLabelKeys);
  for (const [list, keys] of [
    ['matchLabelKeys', match],
    ['mismatchLabelKeys', mismatch],
  ] as const) {
    if (keys.length === 0) continue;
    if (!isSet(term.labelSelector)) {
      errors.push(forbidden(`${field}.${list}`, 'must not be specified when labelSelector is not set'));
      continue;
    }
    for (const [index, key] of keys.entries()) errors.push(...validateLabelName(key, `${field}.${list}[${index}]`));
  }
  if (isSet(term.labelSelector)) {
    const seen = new Set(Object.keys(term.labelSelector.matchLabels ?? {}));
    for (const { key } of listOf(term.labelSelector.matchExpressions)) {
      const index = match.lastIndexOf(key);
      if (index >= 0 && seen.has(key))
        errors.push(invalidValue(`${field}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
      seen.add(key);
    }
  }
  for (const [index, key] of match.entries()) {
    if (mismatch.includes(key)) {
      errors.push(invalidValue(`${field}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
    }
  }
}
