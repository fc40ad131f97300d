import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector, validateObjectSelector } from '../../../selectors/object-selector';
import { invalidValue, required } from '../../../status/field-error';
import { sortedMap } from '../../../status/go-value';
import { semanticEqual } from '../../../strategy/equality';
import { isDnsLabel, isDnsSubdomain } from '../../../validation/formats';
import { goPodTemplate, goSelector, goShape } from '../../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import { immutableText, isSet, type Errors, type Loose } from '../../../validation/values';
import { foundBy, validateTemplateLabels } from '../../core/pods/validation/pod-template';
import { validateJobSpec } from './spec-validation';
import { nameLabels, uidLabels } from './strategy';

/** @param newLabels whether the labels of today have to be there; jobs of long ago have those of old alone */
function validateJob(job: KubeObject, newLabels: boolean, errors: Errors): void {
  validateMetadata(job.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateGeneratedSelector(job, newLabels, errors);
  validateSpecWithSelector(job.spec ?? {}, errors);
  const { completionMode, completions } = job.spec ?? {};
  if (completionMode !== 'Indexed' || !(completions > 0)) return;
  const { name = '' } = job.metadata;
  const longest = `${name}-${completions - 1}`;
  if (isDnsLabel(longest).length > 0) {
    errors.push(invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`));
  }
}

export function validateJobCreate(job: KubeObject, errors: Errors): void {
  validateJob(job, true, errors);
}

export function validateJobUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const before: Loose = old.spec?.template?.metadata?.labels ?? {};
  validateJob(updated, Object.hasOwn(before, nameLabels[1]) && Object.hasOwn(before, uidLabels[1]), errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSpecWithSelector(updated.spec ?? {}, errors);
  validateKept(updated, old, errors);
}

/** Pods that are found by a selector of the server's making have its labels. */
function validateGeneratedSelector({ metadata, spec = {} }: KubeObject, newLabels: boolean, errors: Errors): void {
  const { manualSelector, selector, template } = spec;
  if (manualSelector === true || !isSet(selector)) return;
  const { uid = '', name = '' } = metadata;
  if (uid === '') errors.push(required('metadata.uid'));
  const expected = [
    [uidLabels[0], uid],
    [nameLabels[0], name],
    ...(newLabels ? [[uidLabels[1], uid] as const, [nameLabels[1], name] as const] : []),
  ] as const;
  const labels: Record<string, string> = template?.metadata?.labels ?? {};
  for (const [key, value] of expected) {
    const field = `spec.template.metadata.labels[${key}]`;
    if (!Object.hasOwn(labels, key)) errors.push(required(field, `must be '${value}'`));
    else if (labels[key] !== value) errors.push(invalidValue(field, sortedMap(labels), `must be '${value}'`));
  }
  if (validateObjectSelector(selector, {}, '').length > 0 || compileObjectSelector(selector).matches(Object.fromEntries(expected))) return;
  errors.push(invalidValue('spec.selector', goSelector(selector), '`selector` not auto-generated'));
}

function validateSpecWithSelector(spec: Loose, errors: Errors): void {
  validateJobSpec(spec, 'spec', errors);
  const { selector, template = {} } = spec;
  if (!isSet(selector)) errors.push(required('spec.selector'));
  const found = validateObjectSelector(selector, {}, 'spec.selector');
  errors.push(...found);
  if (found.length === 0) validateTemplateLabels(template, foundBy(selector), 'spec.template', errors);
}

/** What is for life, each with how its value is shown. */
const kept: readonly (readonly [field: string, shown: (value: Loose) => unknown])[] = [
  ['completionMode', (value) => value],
  ['podFailurePolicy', (value) => goShape('PodFailurePolicy', value)],
  ['backoffLimitPerIndex', (value) => value],
  ['managedBy', (value) => value],
  ['successPolicy', (value) => goShape('SuccessPolicy', value)],
];

function validateKept(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const spec: Loose = updated.spec ?? {};
  const before: Loose = old.spec ?? {};
  const refuse = (field: string, value: unknown) => errors.push(invalidValue(`spec.${field}`, value ?? null, immutableText));
  validateCompletionsUpdate(spec, before, errors);
  if (!semanticEqual(spec.selector, before.selector)) refuse('selector', spec.selector && goSelector(spec.selector));
  const hasNotBegun = before.suspend === true && !isSet(old.status?.startTime);
  const comparable = hasNotBegun ? withDirectivesOf(spec.template ?? {}, before.template ?? {}) : before.template;
  if (!semanticEqual(spec.template, comparable)) refuse('template', goPodTemplate(spec.template ?? {}));
  for (const [field, shown] of kept) {
    if (!semanticEqual(spec[field], before[field])) refuse(field, isSet(spec[field]) ? shown(spec[field]) : null);
  }
}

/** An Indexed Job may be made larger or smaller, together with the number of its pods at a time. */
function validateCompletionsUpdate(spec: Loose, before: Loose, errors: Errors): void {
  const { completions, parallelism } = spec;
  if (semanticEqual(completions, before.completions)) return;
  if (spec.completionMode !== 'Indexed') errors.push(invalidValue('spec.completions', completions ?? null, immutableText));
  else if (isSet(completions) && completions !== parallelism) {
    errors.push(invalidValue('spec.completions', completions, 'can only be modified in tandem with spec.parallelism'));
  }
}

/** The old template with all that says where pods go as the new one has it: that may change until the job begins. */
function withDirectivesOf({ metadata, spec = {} }: Loose, before: Loose): Loose {
  const { nodeSelector, tolerations, schedulingGates, affinity } = spec;
  const mixed = { ...before.spec?.affinity, nodeAffinity: affinity?.nodeAffinity };
  const hasAffinity = isSet(affinity) || Object.values(mixed).some(isSet);
  return {
    ...before,
    metadata: { ...before.metadata, annotations: metadata?.annotations, labels: metadata?.labels },
    spec: { ...before.spec, nodeSelector, tolerations, schedulingGates, affinity: hasAffinity ? mixed : undefined },
  };
}
