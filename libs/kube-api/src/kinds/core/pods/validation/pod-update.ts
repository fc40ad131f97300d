import type { KubeObject } from '#libs/kernel';
import { forbidden, invalidValue, required } from '../../../../status/field-error';
import { sortedMap } from '../../../../status/go-value';
import { semanticEqual } from '../../../../strategy/equality';
import { goPodSpec, goShape } from '../../../../validation/go-shapes';
import { validateMetadataUpdate } from '../../../../validation/metadata';
import { jsonDiff } from '../../../../validation/text-diff';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf } from '../../../../validation/values';
import { validatePodAnnotationUpdate } from './annotations';
import { validatePodWhole } from './pod';
import { validateTolerations } from './scheduling';

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Upstream `ValidatePodUpdate`: the little that may change, and everything else refused with the difference. */
export function validatePodUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validatePodWhole(updated, errors);
  validatePodAnnotationUpdate(updated, old, 'metadata.annotations', errors);
  const spec: Loose = updated.spec ?? {};
  const before: Loose = old.spec ?? {};
  for (const list of ['containers', 'initContainers']) {
    if (!validateImages(listOf(spec[list]), listOf(before[list]), `spec.${list}`, errors)) return;
  }
  if (!validateDeadline(spec.activeDeadlineSeconds, before.activeDeadlineSeconds, errors)) return;
  validateAddedTolerations(spec.tolerations, before.tolerations, errors);
  validateRemovedGates(spec.schedulingGates, before.schedulingGates, errors);
  if (semanticEqual(spec, before)) return;
  const munged = withoutAllowedChanges(spec, before);
  if (listOf(before.schedulingGates).length > 0) allowForGated(munged, before, errors);
  if (semanticEqual(munged, before)) return;
  const difference = jsonDiff(goPodSpec(before), goPodSpec(munged));
  errors.push(forbidden('spec', `pod updates may not change fields other than ${changeable}\n${difference}`));
}

function validateImages(updated: Loose[], old: Loose[], field: string, errors: Errors): boolean {
  if (updated.length !== old.length) {
    errors.push(forbidden(field, 'pod updates may not add or remove containers'));
    return false;
  }
  for (const [index, { image = '' }] of updated.entries()) {
    if (image === '') errors.push(required(`${field}[${index}].image`));
    if (image !== image.trim())
      errors.push(invalidValue(`${field}[${index}].image`, image, 'must not have leading or trailing whitespace'));
  }
  return true;
}

/** The deadline may be set, and then only be brought closer. */
function validateDeadline(updated: unknown, old: unknown, errors: Errors): boolean {
  const field = 'spec.activeDeadlineSeconds';
  if (typeof updated === 'number') {
    if (updated < 0 || updated > 2147483647) {
      errors.push(invalidValue(field, updated, 'must be between 0 and 2147483647, inclusive'));
      return false;
    }
    if (typeof old === 'number' && old < updated) {
      errors.push(invalidValue(field, updated, 'must be less than or equal to previous value'));
      return false;
    }
  } else if (isSet(old)) errors.push(invalidValue(field, null, 'must not update from a positive integer to nil value'));
  return true;
}

function validateAddedTolerations(updated: unknown, old: unknown, errors: Errors): void {
  const rest = ({ key = '', operator = '', value = '', effect = '' }: Loose): string => JSON.stringify([key, operator, value, effect]);
  const now = new Set(listOf(updated).map(rest));
  const kept = listOf(old).every((before) => now.has(rest(before)));
  if (!kept) errors.push(forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'));
  else validateTolerations(updated, 'spec.tolerations', errors);
}

function validateRemovedGates(updated: unknown, old: unknown, errors: Errors): void {
  const before = new Set(listOf(old).map(({ name }) => name));
  const added = new Map<string, number>();
  for (const [index, { name }] of listOf(updated).entries()) if (!before.has(name)) added.set(name, index);
  for (const [name, index] of added) {
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbidden(`spec.schedulingGates[${index}].name`, text));
  }
}

/** The new spec with everything that may change put back to what it was. */
function withoutAllowedChanges(spec: Loose, before: Loose): Loose {
  const munged = { ...spec };
  for (const list of ['containers', 'initContainers']) {
    if (spec[list])
      munged[list] = spec[list].map((container: Loose, index: number) => ({ ...container, image: before[list][index].image }));
  }
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) {
    delete munged[field];
    if (isSet(before[field])) munged[field] = before[field];
  }
  if (before.terminationGracePeriodSeconds < 0 && munged.terminationGracePeriodSeconds === 1) {
    munged.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  }
  return munged;
}

/** A pod that is held by gates may still be narrowed to fewer nodes. */
function allowForGated(munged: Loose, before: Loose, errors: Errors): void {
  if (!semanticEqual(munged.nodeSelector, before.nodeSelector, 'nodeSelector')) {
    validateSelectorAdditions(munged.nodeSelector ?? {}, before.nodeSelector ?? {}, errors);
    delete munged.nodeSelector;
    if (before.nodeSelector) munged.nodeSelector = before.nodeSelector;
  }
  const was = before.affinity?.nodeAffinity;
  const now = munged.affinity?.nodeAffinity;
  if (semanticEqual(now, was)) return;
  validateAffinityAdditions(now, was, errors);
  const { nodeAffinity: _, ...others } = munged.affinity ?? {};
  const affinity = isSet(was) ? { ...others, nodeAffinity: was } : others;
  delete munged.affinity;
  if (before.affinity || Object.keys(affinity).length > 0) munged.affinity = affinity;
}

function validateSelectorAdditions(updated: Record<string, string>, old: Record<string, string>, errors: Errors): void {
  for (const [key, value] of Object.entries(old)) {
    if (!Object.hasOwn(updated, key) || updated[key] !== value) {
      const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
      errors.push(invalidValue('spec.nodeSelector', sortedMap(updated), text));
      return;
    }
  }
}

const hard = 'requiredDuringSchedulingIgnoredDuringExecution';

function validateAffinityAdditions(updated: Loose, old: Loose, errors: Errors): void {
  if (!isSet(old)) return;
  const field = `spec.affinity.nodeAffinity.${hard}.nodeSelectorTerms`;
  const before = listOf(old[hard]?.nodeSelectorTerms);
  const now = listOf(updated?.[hard]?.nodeSelectorTerms);
  if (before.length > 0 && before.length !== now.length) {
    const shown = now.length === 0 ? null : now.map((term) => goShape('NodeSelectorTerm', term));
    errors.push(invalidValue(field, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'));
    return;
  }
  for (const [index, term] of before.entries()) {
    if (onlyAdds(now[index], term)) continue;
    const shown = goShape('NodeSelectorTerm', now[index]);
    errors.push(invalidValue(`${field}[${index}]`, shown, 'only additions are allowed (no mutations or deletions)'));
  }
}

function onlyAdds(updated: Loose, old: Loose): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  const empty = lists.every((list) => listOf(old[list]).length === 0);
  if (empty && lists.some((list) => listOf(updated[list]).length > 0)) return false;
  return lists.every((list) => semanticEqual(listOf(updated[list]).slice(0, listOf(old[list]).length), listOf(old[list])));
}
