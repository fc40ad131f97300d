import type { KubeObject } from '#libs/kernel';
import { parseFieldRequirements, type FieldRequirement } from '../../selectors/field-selector';
import { isSelectorError, parseLabelSelector } from '../../selectors/label-selector';
import { validateLabelName } from '../../selectors/object-selector';
import { forbidden, invalidValue, required } from '../../status/field-error';
import { isLabelValue } from '../../validation/formats';
import { isSet, listOf, validateTexts, type Errors, type Loose } from '../../validation/values';

/** What is asked about: somebody, oneself, or somebody within one namespace. */
export type AccessReview = 'subject' | 'self' | 'local';

/** Upstream `ValidateSubjectAccessReview` and its two relatives. */
export function validateAccessReview(type: AccessReview, review: KubeObject, errors: Errors): void {
  const spec: Loose = review.spec ?? {};
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const goPath = isSet(path) ? { Path: path.path ?? '', Verb: path.verb ?? '' } : null;
  if (isSet(resource) && isSet(path)) {
    errors.push(invalidValue('spec.nonResourceAttributes', goPath, 'cannot be specified in combination with resourceAttributes'));
  } else if (!isSet(resource) && !isSet(path)) {
    const text = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalidValue('spec.resourceAttributes', null, text));
  }
  if (type !== 'self' && !spec.user && listOf(spec.groups).length === 0) {
    errors.push(invalidValue('spec.user', '', 'at least one of user or group must be specified'));
  }
  for (const key of ['fieldSelector', 'labelSelector'] as const) {
    if (isSet(resource?.[key])) validateSelector(key, resource[key], `spec.resourceAttributes.${key}`, errors);
  }
  validateNoMetadata(type, review, errors);
  if (type !== 'local') return;
  const namespace: string = resource?.namespace ?? '';
  if (isSet(resource) && namespace !== (review.metadata.namespace ?? '')) {
    errors.push(invalidValue('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'));
  }
  if (goPath) errors.push(invalidValue('spec.nonResourceAttributes', goPath, 'disallowed on this kind of request'));
}

/** A review is no object: it has no name and nothing else of one. */
function validateNoMetadata(type: AccessReview, { metadata }: KubeObject, errors: Errors): void {
  const { namespace, managedFields: _, ...others } = metadata;
  const given = Object.values({ ...others, namespace: type === 'local' ? undefined : namespace });
  if (given.every((value) => value === undefined || value === null || value === '')) return;
  errors.push(invalidValue('metadata', metadata, type === 'local' ? 'must be empty except for namespace' : 'must be empty'));
}

function validateSelector(type: 'fieldSelector' | 'labelSelector', selector: Loose, field: string, errors: Errors): void {
  const { rawSelector = '' } = selector;
  const requirements = listOf(selector.requirements);
  if (rawSelector !== '' && requirements.length > 0) {
    errors.push(invalidValue(`${field}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  }
  if (rawSelector === '' && requirements.length === 0) {
    errors.push(required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`));
  }
  for (const [index, requirement] of requirements.entries()) {
    validateRequirement(type, requirement ?? {}, `${field}.requirements[${index}]`, errors);
  }
}

/** Operators that nobody knows are let through: a newer client may mean something by them. */
function validateRequirement(type: string, { key = '', operator = '', values }: Loose, field: string, errors: Errors): void {
  const ofLabels = type === 'labelSelector';
  if (!ofLabels && key === '') errors.push(required(`${field}.key`, 'must be specified'));
  const count = listOf(values).length;
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
    errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  }
  if (!ofLabels) return;
  errors.push(...validateLabelName(key, `${field}.key`));
  for (const [index, value] of listOf(values).entries()) {
    validateTexts(isLabelValue(value ?? ''), value ?? '', `${field}.values[${index}]`, errors);
  }
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

interface Usable {
  /** How many conditions were given, and how many of them can be judged by. */
  given: number;
  usable: number;
}

/** What of a review's selectors cannot be read, in upstream's words; empty where all can. */
export function selectorProblem(review: KubeObject): string {
  const resource: Loose = review.spec?.resourceAttributes ?? {};
  const found = { fieldSelector: readFields(resource.fieldSelector ?? {}), labelSelector: readLabels(resource.labelSelector ?? {}) };
  const texts = Object.entries(found).flatMap(([key, { given, usable }]) =>
    usable === given ? [] : [`spec.resourceAttributes.${key} ${usable > 0 ? 'partially ' : ''}ignored due to parse error`],
  );
  return texts.join('; ');
}

/** The fields that a review is narrowed to, as far as they can be read; absent where none can. */
export function fieldRequirementsOf(resourceAttributes: object): readonly FieldRequirement[] | undefined {
  const { requirements } = readFields((resourceAttributes as Loose).fieldSelector ?? {});
  return requirements.length > 0 ? requirements : undefined;
}

function readFields({ rawSelector = '', requirements }: Loose): Usable & { requirements: FieldRequirement[] } {
  if (rawSelector !== '') {
    const parsed = parseFieldRequirements(rawSelector);
    return 'error' in parsed ? { given: 1, usable: 0, requirements: [] } : { given: 1, usable: 1, requirements: parsed };
  }
  const all = listOf(requirements);
  const usable = all.filter((one) => (one?.operator === 'In' || one?.operator === 'NotIn') && listOf(one.values).length === 1);
  const read = usable.map(({ key, operator, values }) => ({ field: key ?? '', equal: operator === 'In', value: values[0] ?? '' }));
  return { given: all.length, usable: usable.length, requirements: read };
}

function readLabels({ rawSelector = '', requirements }: Loose): Usable {
  if (rawSelector !== '') return { given: 1, usable: isSelectorError(parseLabelSelector(rawSelector)) ? 0 : 1 };
  const all = listOf(requirements);
  return { given: all.length, usable: all.filter((one) => operators.includes(one?.operator)).length };
}
