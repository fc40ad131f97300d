import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector, validateObjectSelector } from '../../selectors/object-selector';
import { nothing } from '../../selectors/label-selector';
import { invalidValue, required } from '../../status/field-error';
import { isPathSegmentName } from '../../validation/formats';
import { bothRules, validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, listOf, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';

function validateRules(role: KubeObject, namespaced: boolean, errors: Errors): void {
  validateMetadata(role.metadata, { namespaced, name: isPathSegmentName }, errors);
  for (const [index, rule] of listOf(role.rules).entries()) validateRule(rule ?? {}, namespaced, `rules[${index}]`, errors);
}

/** A rule speaks of resources or, in a ClusterRole, of other paths; not of both. */
function validateRule(
  { verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Loose,
  namespaced: boolean,
  field: string,
  errors: Errors,
): void {
  if (listOf(verbs).length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (listOf(nonResourceURLs).length > 0) {
    const refuse = (text: string): unknown => errors.push(invalidValue(`${field}.nonResourceURLs`, nonResourceURLs, text));
    if (namespaced) refuse('namespaced rules cannot apply to non-resource URLs');
    if ([apiGroups, resources, resourceNames].some((list) => listOf(list).length > 0)) {
      refuse('rules cannot apply to both regular resources and non-resource URLs');
    }
    return;
  }
  if (listOf(apiGroups).length === 0) errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  if (listOf(resources).length === 0) errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
}

function validateRole(role: KubeObject, errors: Errors): void {
  validateRules(role, true, errors);
}

const selectorsField = 'aggregationRule.clusterRoleSelectors';

/** `allowInvalidValues`: what was wrong with the selectors of the stored role may stay. */
function validateClusterRole(role: KubeObject, allowInvalidValues: boolean, errors: Errors): void {
  validateRules(role, false, errors);
  const { aggregationRule } = role;
  if (!isSet(aggregationRule)) return;
  const selectors = listOf((aggregationRule as Loose).clusterRoleSelectors);
  if (selectors.length === 0) {
    errors.push(required(selectorsField, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  for (const [index, selector] of selectors.entries()) {
    const field = `${selectorsField}[${index}]`;
    errors.push(...validateObjectSelector(selector, { allowInvalidValues }, field));
    if (!isCompilable(selector)) errors.push(invalidValue(field, null, 'invalid label selector.'));
  }
}

/** A selector that the labels' own rules take: known operators, values where they are needed, keys and values well formed. */
function isCompilable(selector: Loose): boolean {
  return selector === null || (compileObjectSelector(selector) !== nothing && validateObjectSelector(selector, {}, '').length === 0);
}

function hasInvalidSelector(role: KubeObject): boolean {
  const selectors = listOf((role.aggregationRule as Loose)?.clusterRoleSelectors);
  return selectors.some((selector) => validateObjectSelector(selector, {}, '').length > 0);
}

export const roles: KindDescription = {
  name: 'roles.rbac.authorization.k8s.io',
  served: true,
  createOnUpdate: true,
  formerVersions: ['rbac.authorization.k8s.io/v1alpha1', 'rbac.authorization.k8s.io/v1beta1'],
  validation: {
    create: validateRole,
    update: bothRules(
      validateRole,
      bothRules(validateRole, (updated, old, errors) => validateMetadataUpdate(updated.metadata, old.metadata, errors)),
    ),
  },
};

export const clusterroles: KindDescription = {
  name: 'clusterroles.rbac.authorization.k8s.io',
  served: true,
  createOnUpdate: true,
  formerVersions: ['rbac.authorization.k8s.io/v1alpha1', 'rbac.authorization.k8s.io/v1beta1'],
  validation: {
    create: (role, errors) => validateClusterRole(role, false, errors),
    update: (updated, old, errors) => {
      const allowInvalidValues = hasInvalidSelector(old);
      // Twice, as upstream does.
      for (let time = 0; time < 2; time++) validateClusterRole(updated, allowInvalidValues, errors);
      validateMetadataUpdate(updated.metadata, old.metadata, errors);
    },
  },
};
