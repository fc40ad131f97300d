import { duplicate, forbidden, invalidValue, required, unsupported } from '../../../../status/field-error';
import { validateLabelName, validateObjectSelector } from '../../../../selectors/object-selector';
import { isLabelValue } from '../../../../validation/formats';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateQualifiedName, validateSupported } from '../../../../validation/values';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The effect of a taint, which must be there, or of a toleration, where none means every effect. */
export function validateTaintEffect(effect: string, field: string, errors: Errors): void {
  if (effect === '') errors.push(required(field));
  else validateSupported(effect, effects, field, errors);
}

export function validateTolerations(list: unknown, field: string, errors: Errors): void {
  for (const [index, toleration] of listOf(list).entries()) {
    const at = `${field}[${index}]`;
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    if (key !== '') errors.push(...validateLabelName(key, `${at}.key`));
    if (key === '' && operator !== 'Exists') {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidValue(`${at}.operator`, operator, text));
    }
    if (isSet(toleration.tolerationSeconds) && effect !== 'NoExecute') {
      errors.push(invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    if (operator === 'Equal' || operator === '') {
      const texts = isLabelValue(value);
      if (texts.length > 0) errors.push(invalidValue(`${at}.operator`, value, texts.join(';')));
    } else if (operator === 'Exists') {
      if (value !== '') errors.push(invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    } else errors.push(unsupported(`${at}.operator`, operator, ['Equal', 'Exists']));
    if (effect !== '') validateTaintEffect(effect, `${at}.effect`, errors);
  }
}

export function validateTopologySpread(list: unknown, field: string, errors: Errors): void {
  const constraints = listOf(list);
  const lastOf = new Map<string, number>();
  const nameOf = ({ topologyKey = '', whenUnsatisfiable = '' }: Loose): string => JSON.stringify([topologyKey, whenUnsatisfiable]);
  for (const [index, constraint] of constraints.entries()) lastOf.set(nameOf(constraint), index);
  for (const [index, constraint] of constraints.entries()) {
    const at = `${field}[${index}]`;
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', minDomains } = constraint;
    if (maxSkew <= 0) errors.push(invalidValue(`${at}.maxSkew`, maxSkew, 'must be greater than zero'));
    if (topologyKey === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    validateSupported(whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway'], `${at}.whenUnsatisfiable`, errors);
    const repeated = (lastOf.get(nameOf(constraint)) as number) > index;
    if (repeated) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    if (isSet(minDomains)) {
      if (minDomains <= 0) errors.push(invalidValue(`${at}.minDomains`, minDomains, 'must be greater than zero'));
      if (whenUnsatisfiable !== 'DoNotSchedule') {
        const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
        errors.push(invalidValue(`${at}.minDomains`, minDomains, text));
      }
    }
    for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      if (isSet(constraint[policy])) validateSupported(constraint[policy], ['Honor', 'Ignore'], `${at}.${policy}`, errors);
    }
    validateSpreadKeys(constraint, at, errors);
    errors.push(...validateObjectSelector(constraint.labelSelector, {}, `${at}.labelSelector`));
  }
}

/** Keys whose values the server has merged into the selector already are there twice by its own doing; that is reported at the constraint. */
function validateSpreadKeys(constraint: Loose, at: string, errors: Errors): void {
  const keys = listOf(constraint.matchLabelKeys);
  const field = `${at}.matchLabelKeys`;
  if (keys.length === 0) return;
  if (!isSet(constraint.labelSelector)) errors.push(forbidden(field, 'must not be specified when labelSelector is not set'));
  const named = new Set(Object.keys(constraint.labelSelector?.matchLabels ?? {}));
  for (const { key } of listOf(constraint.labelSelector?.matchExpressions)) {
    const index = keys.lastIndexOf(key);
    if (index >= 0 && named.has(key)) errors.push(invalidValue(`${at}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    named.add(key);
  }
  for (const [index, key] of keys.entries()) errors.push(...validateLabelName(key, `${field}[${index}]`));
}

export function validateSchedulingGates(list: unknown, field: string, errors: Errors): void {
  const names = new Set<string>();
  for (const [index, { name = '' }] of listOf(list).entries()) {
    validateQualifiedName(name, `${field}[${index}]`, errors);
    if (names.has(name)) errors.push(duplicate(`${field}[${index}]`, name));
    names.add(name);
  }
}
