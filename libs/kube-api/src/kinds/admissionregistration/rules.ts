import { duplicate, invalidValue, required, unsupported } from '../../status/field-error';
import { isPathSegmentName } from '../../validation/formats';
import { isSet, listOf, validateSupported, validateTexts, type Errors, type Loose } from '../../validation/values';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];
export const failurePolicies = ['Fail', 'Ignore'];
export const matchPolicies = ['Equivalent', 'Exact'];

/** Which requests are meant: what is done to which resources (upstream `validateRuleWithOperations`). */
export function validateRule(rule: Loose, field: string, errors: Errors): void {
  const { apiGroups, apiVersions, resources, scope } = rule;
  const done = listOf(rule.operations);
  if (done.length === 0) errors.push(required(`${field}.operations`));
  validateAlone(done, 'operations', `${field}.operations`, errors);
  for (const [index, operation] of done.entries()) validateSupported(operation, operations, `${field}.operations[${index}]`, errors);
  if (listOf(apiGroups).length === 0) errors.push(required(`${field}.apiGroups`));
  validateAlone(listOf(apiGroups), 'API groups', `${field}.apiGroups`, errors);
  if (listOf(apiVersions).length === 0) errors.push(required(`${field}.apiVersions`));
  validateAlone(listOf(apiVersions), 'API versions', `${field}.apiVersions`, errors);
  for (const [index, version] of listOf(apiVersions).entries()) {
    if (!version) errors.push(required(`${field}.apiVersions[${index}]`));
  }
  validateResources(listOf(resources), `${field}.resources`, errors);
  if (isSet(scope) && !scopes.includes(scope)) errors.push(unsupported(`${field}.scope`, scope, scopes));
}

/** Who says "all" says nothing else. */
function validateAlone(list: readonly Loose[], what: string, field: string, errors: Errors): void {
  if (list.length > 1 && list.includes('*')) errors.push(invalidValue(field, list, `if '*' is present, must not specify other ${what}`));
}

/** `pods`, `pods/status`, `pods/*`, with `*` for all of a kind; none that another one covers. */
function validateResources(resources: readonly Loose[], field: string, errors: Errors): void {
  if (resources.length === 0) errors.push(required(field));
  const allOf = new Set<string>();
  const ofAll = new Set<string>();
  let isLastPlain = false;
  for (const [index, given] of resources.entries()) {
    const at = `${field}[${index}]`;
    const name: string = given ?? '';
    if (name === '') {
      errors.push(required(at));
      continue;
    }
    const slash = name.indexOf('/');
    if (slash < 0) {
      // Upstream remembers the last one only.
      isLastPlain = name !== '*';
      continue;
    }
    const [resource, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    if (allOf.has(resource)) errors.push(invalidValue(at, name, `if '${resource}/*' is present, must not specify ${name}`));
    if (ofAll.has(subresource)) errors.push(invalidValue(at, name, `if '*/${subresource}' is present, must not specify ${name}`));
    if (subresource === '*') allOf.add(resource);
    if (resource === '*') ofAll.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && isLastPlain) {
    errors.push(invalidValue(field, resources, "if '*' is present, must not specify other resources without subresources"));
  }
}

/** As `validateRule`, of objects with these names alone. */
export function validateNamedRule(rule: Loose, field: string, errors: Errors): void {
  const seen = new Set<string>();
  for (const [index, given] of listOf(rule.resourceNames).entries()) {
    const name: string = given ?? '';
    const at = `${field}.resourceNames[${index}]`;
    validateTexts(isPathSegmentName(name), name, at, errors);
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  }
  validateRule(rule, field, errors);
}
