import type { KubeObject } from '#libs/kernel';
import { objectIn } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { validateObjectSelector } from '../../selectors/object-selector';
import { duplicate, forbidden, invalidValue, required, unsupported } from '../../status/field-error';
import { isDnsSubdomain, isPathSegmentName } from '../../validation/formats';
import { validateMetadata } from '../../validation/metadata';
import {
  isSet,
  listOf,
  validateDnsSubdomain,
  validateRequiredSupported,
  validateTexts,
  type Errors,
  type Loose,
} from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { setMatchDefaults, validateMatchResources } from './match-resources';

const actions = ['Audit', 'Deny', 'Warn'];

function validateBinding(binding: KubeObject, errors: Errors): void {
  validateMetadata(binding.metadata, { namespaced: false, name: isDnsSubdomain, qualifiedFinalizers: false }, errors);
  const { policyName = '', paramRef, matchResources, validationActions } = (binding.spec ?? {}) as Loose;
  if (policyName === '') errors.push(required('spec.policyName'));
  else validateDnsSubdomain(policyName, 'spec.policyName', errors);
  if (isSet(paramRef)) validateParamRef(paramRef, 'spec.paramRef', errors);
  if (isSet(matchResources)) validateMatchResources(matchResources, 'spec.matchResources', errors);
  validateActions(listOf(validationActions), 'spec.validationActions', errors);
}

const exclusive = 'name and selector are mutually exclusive';

/** Parameters by name, or by what they are labelled with. */
function validateParamRef({ name = '', selector, parameterNotFoundAction: action }: Loose, field: string, errors: Errors): void {
  if (name !== '') {
    validateTexts(isPathSegmentName(name), name, `${field}.name`, errors);
    if (isSet(selector)) errors.push(forbidden(`${field}.name`, exclusive));
  }
  if (isSet(selector)) {
    errors.push(...validateObjectSelector(selector, {}, `${field}.selector`));
    if (name !== '') errors.push(forbidden(`${field}.selector`, exclusive));
  }
  if (name === '' && !isSet(selector)) errors.push(required(field, 'one of name or selector must be specified'));
  validateRequiredSupported(action, ['Deny', 'Allow'], `${field}.parameterNotFoundAction`, errors);
}

function validateActions(given: readonly Loose[], field: string, errors: Errors): void {
  for (const [index, action] of given.entries()) {
    if (!actions.includes(action)) errors.push(unsupported(`${field}[${index}]`, action ?? '', actions));
    if (given.indexOf(action) < index) errors.push(duplicate(`${field}[${index}]`, action ?? ''));
  }
  if (given.includes('Deny') && given.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
    errors.push(invalidValue(field, given, `must not contain both Deny and Warn (${why})`));
  }
  if (given.length === 0) errors.push(required(field, 'at least one validation action is required'));
}

/** `namespace/name`, or the selector as Go writes it. */
function paramText(param: Loose): string {
  if (param?.name) return `${param.namespace || '*'}/${param.name}`;
  return isSet(param?.selector) ? selectorText(param.selector) : '<unset>';
}

function selectorText({ matchLabels, matchExpressions }: Loose): string {
  const labels = Object.entries<string>(matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const expressions = listOf(matchExpressions).map(
    ({ key = '', operator = '', values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${listOf(values).join(' ')}],},`,
  );
  const shown = labels.map(([key, value]) => `${key}: ${value},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${shown}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

export const validatingadmissionpolicybindings: KindDescription = {
  name: 'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  served: true,
  generation: 'managed',
  conditionalUpdateOnly: true,
  formerVersions: ['admissionregistration.k8s.io/v1beta1', 'admissionregistration.k8s.io/v1alpha1'],
  setDefaults: (binding) => setMatchDefaults(objectIn(objectIn(binding, 'spec') ?? {}, 'matchResources')),
  validation: { create: validateBinding, update: (updated, _, errors) => validateBinding(updated, errors) },
  row: rowOf((binding, now) => {
    const { policyName = '', paramRef } = (binding.spec ?? {}) as Loose;
    return [nameOf(binding), policyName, paramText(paramRef), age(binding, now)];
  }),
};
