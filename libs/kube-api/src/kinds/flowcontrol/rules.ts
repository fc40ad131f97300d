import { forbidden, invalidValue, required, unsupported } from '../../status/field-error';
import { isDnsLabel, isDnsSubdomain } from '../../validation/formats';
import { isSet, listOf, validateTexts, type Errors, type Loose } from '../../validation/values';

/** Who is meant, and which of his requests (upstream `ValidateFlowSchemaPolicyRulesWithSubjects`). */
export function validateRule({ subjects, resourceRules, nonResourceRules }: Loose, field: string, errors: Errors): void {
  if (listOf(subjects).length === 0) errors.push(required(`${field}.subjects`, 'subjects must contain at least one value'));
  for (const [index, subject] of listOf(subjects).entries()) validateSubject(subject ?? {}, `${field}.subjects[${index}]`, errors);
  if (listOf(resourceRules).length + listOf(nonResourceRules).length === 0) {
    errors.push(required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  for (const [index, rule] of listOf(resourceRules).entries()) {
    validateResourceRule(rule ?? {}, `${field}.resourceRules[${index}]`, errors);
  }
  for (const [index, rule] of listOf(nonResourceRules).entries()) {
    validateNonResourceRule(rule ?? {}, `${field}.nonResourceRules[${index}]`, errors);
  }
}

/** The field of each kind of subject; in the order in which those that do not belong are refused. */
const subjectFields = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const;

function validateSubject(subject: Loose, field: string, errors: Errors): void {
  const { kind = '' } = subject;
  const own = subjectFields.find(([name]) => name === kind)?.[1];
  if (own === undefined) {
    errors.push(unsupported(`${field}.kind`, kind, ['Group', 'ServiceAccount', 'User']));
    return;
  }
  if (!isSet(subject[own])) errors.push(required(`${field}.${own}`, `${own} is required when subject kind is '${kind}'`));
  else validateIdentity(subject[own], own, `${field}.${own}`, errors);
  for (const [name, other] of subjectFields) {
    if (other === own || !isSet(subject[other])) continue;
    errors.push(forbidden(`${field}.${other}`, `${other} is forbidden when subject kind is not '${name}'`));
  }
}

function validateIdentity({ name = '', namespace = '' }: Loose, type: string, field: string, errors: Errors): void {
  if (name === '') errors.push(required(`${field}.name`));
  if (type !== 'serviceAccount') return;
  if (name !== '' && name !== '*') validateTexts(isDnsSubdomain(name), name, `${field}.name`, errors);
  if (namespace === '') errors.push(required(`${field}.namespace`, 'must specify namespace for service account'));
  else validateTexts(isDnsLabel(namespace), namespace, `${field}.namespace`, errors);
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function validateVerbs(given: unknown, field: string, errors: Errors): void {
  const list = listOf(given);
  if (list.length === 0) errors.push(required(field, 'verbs must contain at least one value'));
  else if (list.includes('*')) validateAlone(list, 'verbs', field, errors);
  else if (list.some((verb) => !verbs.includes(verb))) errors.push(unsupported(field, list, verbs));
}

/** Who says "all" says nothing else. */
function validateAlone(list: readonly Loose[], what: string, field: string, errors: Errors): void {
  if (list.length > 1 && list.includes('*')) errors.push(invalidValue(field, list, `if '*' is present, must not specify other ${what}`));
}

function validateResourceRule(rule: Loose, field: string, errors: Errors): void {
  validateVerbs(rule.verbs, `${field}.verbs`, errors);
  const lists = [
    ['apiGroups', 'api group'],
    ['resources', 'resource'],
  ] as const;
  for (const [key, what] of lists) {
    const list = listOf(rule[key]);
    if (list.length === 0) errors.push(required(`${field}.${key}`, `resource rules must supply at least one ${what}`));
    else validateAlone(list, `${what}s`, `${field}.${key}`, errors);
  }
  const namespaces = listOf(rule.namespaces);
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const text = 'resource rules that are not cluster scoped must supply at least one namespace';
    errors.push(required(`${field}.namespaces`, text));
  } else if (namespaces.includes('*')) validateAlone(namespaces, 'namespaces', `${field}.namespaces`, errors);
  else {
    for (const [index, namespace] of namespaces.entries()) {
      const texts = isDnsLabel(namespace ?? '').map((text) => `each member of this list must be '*' or a DNS-1123 label; ${text}`);
      validateTexts(texts, namespace ?? '', `${field}.namespaces[${index}]`, errors);
    }
  }
}

function validateNonResourceRule(rule: Loose, field: string, errors: Errors): void {
  validateVerbs(rule.verbs, `${field}.verbs`, errors);
  const paths = listOf(rule.nonResourceURLs);
  const at = `${field}.nonResourceURLs`;
  if (paths.length === 0) errors.push(required(at, 'nonResourceURLs must contain at least one value'));
  else if (paths.includes('*')) validateAlone(paths, 'non-resource URLs', at, errors);
  else {
    for (const [index, path] of paths.entries()) {
      const problem = pathProblem(path ?? '');
      if (problem !== undefined) errors.push(invalidValue(`${at}[${index}]`, path ?? '', problem));
    }
  }
}

/** A path, or all below one: `/metrics`, `/api/*`. */
function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const stars = path.split('*').length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}
