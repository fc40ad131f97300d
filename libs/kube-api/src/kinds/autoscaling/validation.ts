import type { KubeObject } from '#libs/kernel';
import { invalidValue, required } from '../../status/field-error';
import { isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, listOf, notPositiveText, validateNonNegative, validateSupported, type Errors, type Loose } from '../../validation/values';
import { validateMetrics } from './metrics-validation';
import { apiVersionProblem, validateReference } from './reference';

const periodSecondsMax = 1800;
const stabilizationSecondsMax = 3600;

export function validateAutoscaler(autoscaler: KubeObject, errors: Errors): void {
  validateMetadata(autoscaler.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateSpec(autoscaler.spec ?? {}, undefined, errors);
}

export function validateAutoscalerUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSpec(updated.spec ?? {}, old.spec ?? {}, errors);
}

export function validateAutoscalerStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  for (const count of ['currentReplicas', 'desiredReplicas']) validateNonNegative(updated.status?.[count], `status.${count}`, errors);
}

/** @param before what was wrong in a stored object may stay as it is */
function validateSpec(spec: Loose, before: Loose, errors: Errors): void {
  const { minReplicas, maxReplicas = 0, scaleTargetRef = {} } = spec;
  const least = before?.minReplicas === 0 ? 0 : 1;
  if (isSet(minReplicas) && minReplicas < least) {
    errors.push(invalidValue('spec.minReplicas', minReplicas, `must be greater than or equal to ${least}`));
  }
  if (maxReplicas < 1) errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than 0'));
  if (isSet(minReplicas) && maxReplicas < minReplicas) {
    errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  const target = before?.scaleTargetRef;
  const isSame = target !== undefined && ['kind', 'apiVersion'].every((key) => (target[key] ?? '') === (scaleTargetRef[key] ?? ''));
  const rules = { anyVersion: isSame, anyGroup: scaleTargetRef.kind === 'ReplicationController' };
  validateReference(scaleTargetRef, rules, 'spec.scaleTargetRef', errors);
  validateMetrics(spec.metrics, minReplicas, hasWrongReference(before?.metrics), errors);
  if (!isSet(spec.behavior)) return;
  for (const direction of ['scaleUp', 'scaleDown']) {
    if (isSet(spec.behavior[direction])) validateRules(spec.behavior[direction], `spec.behavior.${direction}`, errors);
  }
}

function hasWrongReference(metrics: unknown): boolean {
  return listOf(metrics).some(
    ({ type, object }) =>
      type === 'Object' && isSet(object) && apiVersionProblem(object.describedObject?.apiVersion ?? '', true) !== undefined,
  );
}

function validateRules({ stabilizationWindowSeconds: window, selectPolicy, policies }: Loose, field: string, errors: Errors): void {
  const at = `${field}.stabilizationWindowSeconds`;
  if (window < 0) errors.push(invalidValue(at, window, 'must be greater than or equal to zero'));
  if (window > stabilizationSecondsMax) errors.push(invalidValue(at, window, `must be less than or equal to ${stabilizationSecondsMax}`));
  if (isSet(selectPolicy)) validateSupported(selectPolicy, ['Disabled', 'Max', 'Min'], `${field}.selectPolicy`, errors);
  if (listOf(policies).length === 0) errors.push(required(`${field}.policies`, 'must specify at least one Policy'));
  for (const [index, policy] of listOf(policies).entries()) validatePolicy(policy, `${field}.policies[${index}]`, errors);
}

function validatePolicy({ type = '', value = 0, periodSeconds = 0 }: Loose, field: string, errors: Errors): void {
  validateSupported(type, ['Percent', 'Pods'], `${field}.type`, errors);
  if (value <= 0) errors.push(invalidValue(`${field}.value`, value, notPositiveText));
  if (periodSeconds <= 0) errors.push(invalidValue(`${field}.periodSeconds`, periodSeconds, notPositiveText));
  if (periodSeconds > periodSecondsMax) {
    errors.push(invalidValue(`${field}.periodSeconds`, periodSeconds, `must be less than or equal to ${periodSecondsMax}`));
  }
}
