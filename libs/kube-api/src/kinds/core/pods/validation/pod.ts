import type { KubeObject } from '#libs/kernel';
import { forbidden, invalidValue } from '../../../../status/field-error';
import { isDnsSubdomain } from '../../../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../../../validation/metadata';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateImmutable, validateQualifiedName, validateTexts } from '../../../../validation/values';
import { validatePodAnnotations, validatePodAnnotationUpdate, validateProfilesAgree } from './annotations';
import { validateImageSpaces } from './containers';
import { validatePodSpec, validateTokensHaveAccount } from './pod-spec';
import { validateClaimStatuses, validatePodAddresses, validateStateTransitions, validateStatusUsers } from './pod-status';

/** Metadata and spec of a pod, at its creation and at every change. */
export function validatePodWhole(pod: KubeObject, errors: Errors): void {
  const spec: Loose = pod.spec ?? {};
  validateMetadata(pod.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validatePodAnnotations(pod.metadata.annotations, spec, 'metadata.annotations', errors);
  validatePodSpec(spec, { isPod: true, podName: pod.metadata.name }, 'spec', errors);
  validateTokensHaveAccount(spec, 'spec', errors);
  for (const list of ['containers', 'initContainers']) {
    for (const [index, container] of listOf(spec[list]).entries()) validateImageSpaces(container, `spec.${list}[${index}]`, errors);
  }
}

export function validatePodCreate(pod: KubeObject, errors: Errors): void {
  validatePodWhole(pod, errors);
  const spec: Loose = pod.spec ?? {};
  if (listOf(spec.ephemeralContainers).length > 0) errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  if (spec.nodeName && listOf(spec.schedulingGates).length > 0) {
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  validateProfilesAgree(pod.metadata.annotations, spec, 'spec', errors);
}

/** pods/status. */
export function validatePodStatusUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validatePodAnnotationUpdate(updated, old, 'metadata.annotations', errors);
  validateConditions(listOf(updated.status?.conditions), errors);
  if ((updated.spec?.nodeName ?? '') !== (old.spec?.nodeName ?? '')) {
    errors.push(forbidden('status.nodeName', 'may not be changed directly'));
  }
  const nominated: string = updated.status?.nominatedNodeName ?? '';
  if (nominated !== '' && nominated !== old.status?.nominatedNodeName) {
    validateTexts(isDnsSubdomain(nominated), nominated, 'status.nominatedNodeName', errors);
  }
  validateObservedGeneration(updated.status, 'status', errors);
  validateImmutable(updated.status?.qosClass, old.status?.qosClass, 'status.qosClass', errors);
  validateStateTransitions(updated, old, errors);
  validateClaimStatuses(updated, errors);
  validatePodAddresses(updated.status ?? {}, errors);
  validateStatusUsers(updated, errors);
}

const systemConditions = ['PodScheduled', 'Ready', 'Initialized'];

function validateConditions(conditions: readonly Loose[], errors: Errors): void {
  for (const [index, condition] of conditions.entries()) {
    const field = `status.conditions[${index}]`;
    const { type = '' } = condition;
    validateObservedGeneration(condition, field, errors);
    if (!systemConditions.includes(type)) validateQualifiedName(type, `${field}.Type`, errors);
  }
}

function validateObservedGeneration(holder: Loose, field: string, errors: Errors): void {
  const generation: number = holder?.observedGeneration ?? 0;
  if (generation < 0) errors.push(invalidValue(`${field}.observedGeneration`, generation, 'must be a non-negative integer'));
}

/** A finding about the object as a whole, whose path upstream prints as `[]`. */
export function aboutWhole(text: string): ReturnType<typeof forbidden> {
  return forbidden('[]', text);
}

export function isRestartable(container: Loose): boolean {
  return container.restartPolicy === 'Always';
}

export function invalidSpec(value: unknown, text: string): ReturnType<typeof invalidValue> {
  return invalidValue('spec', value, text);
}

export function hasResources(resources: Loose): boolean {
  return isSet(resources) && Object.keys({ ...resources.requests, ...resources.limits }).length > 0;
}
