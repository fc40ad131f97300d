import type { KubeObject } from '#libs/kernel';
import { forbidden, invalidValue, required, unsupported } from '../../status/field-error';
import { validateObjectSelector } from '../../selectors/object-selector';
import { isDnsSubdomain } from '../../validation/formats';
import { goSelector, goShape } from '../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { foundBy, validatePodTemplate, validateRunsForEver, validateTemplateLabels } from '../core/pods/validation/pod-template';
import { validateCollisionCount, validateReplicaCounts } from './status-counts';
import type { Errors, Loose } from '../../validation/values';
import {
  isSet,
  listOf,
  validateImmutable,
  validateIntOrPercent,
  validateNonNegative,
  validateNotOver100Percent,
  wholeOf,
} from '../../validation/values';

const workloadName = { namespaced: true, name: isDnsSubdomain };

function validateSelector(selector: Loose, field: string, errors: Errors): void {
  if (!isSet(selector)) {
    errors.push(required(field));
    return;
  }
  errors.push(...validateObjectSelector(selector, {}, field));
  if (Object.keys(selector.matchLabels ?? {}).length + listOf(selector.matchExpressions).length === 0) {
    errors.push(invalidValue(field, goSelector(selector), 'empty selector is invalid for deployment'));
  }
}

/** A template whose pods the selector finds, and which run for ever. */
function validateTemplateFor(spec: Loose, field: string, errors: Errors): void {
  // What is wrong with keys, values and operators is said before; such a selector cannot be used.
  if (validateObjectSelector(spec.selector, {}, '').length > 0) {
    errors.push(invalidValue('spec.selector', goSelector(spec.selector), 'invalid label selector'));
    return;
  }
  const template: Loose = spec.template ?? {};
  validateTemplateLabels(template, foundBy(spec.selector), field, errors);
  validatePodTemplate(template, field, errors);
  validateRunsForEver(template, 'ReplicaSet', field, errors);
}

function validateStrategy(strategy: Loose, field: string, errors: Errors): void {
  const rolling = strategy?.rollingUpdate;
  if (strategy?.type === 'Recreate') {
    if (isSet(rolling)) errors.push(forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (strategy?.type === 'RollingUpdate') {
    if (!isSet(rolling)) errors.push(required(`${field}.rollingUpdate`, 'this should be defaulted and never be nil'));
    else validateRollingUpdate(rolling, `${field}.rollingUpdate`, errors);
  } else errors.push(unsupported(field, goShape('DeploymentStrategy', strategy), ['Recreate', 'RollingUpdate']));
}

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: Loose, field: string, errors: Errors): void {
  validateIntOrPercent(maxUnavailable, `${field}.maxUnavailable`, errors);
  validateIntOrPercent(maxSurge, `${field}.maxSurge`, errors);
  if (wholeOf(maxUnavailable) === 0 && wholeOf(maxSurge) === 0) {
    errors.push(invalidValue(`${field}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  validateNotOver100Percent(maxUnavailable, `${field}.maxUnavailable`, errors);
}

function validateDeploymentSpec(spec: Loose, errors: Errors): void {
  validateNonNegative(spec.replicas, 'spec.replicas', errors);
  validateSelector(spec.selector, 'spec.selector', errors);
  validateTemplateFor(spec, 'spec.template', errors);
  validateStrategy(spec.strategy, 'spec.strategy', errors);
  for (const field of ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']) {
    validateNonNegative(spec[field], `spec.${field}`, errors);
  }
  const deadline = spec.progressDeadlineSeconds;
  if (isSet(deadline) && deadline <= (spec.minReadySeconds ?? 0)) {
    errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  }
}

function validateReplicaSetSpec(spec: Loose, errors: Errors): void {
  validateNonNegative(spec.replicas, 'spec.replicas', errors);
  validateNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors);
  validateSelector(spec.selector, 'spec.selector', errors);
  validateTemplateFor(spec, 'spec.template', errors);
}

type SpecRule = (spec: Loose, errors: Errors) => void;
const specRules: Record<string, SpecRule> = { Deployment: validateDeploymentSpec, ReplicaSet: validateReplicaSetSpec };

export type Workload = 'Deployment' | 'ReplicaSet';

export function validateWorkload(kind: Workload, object: KubeObject, errors: Errors): void {
  validateMetadata(object.metadata, workloadName, errors);
  specRules[kind]?.(object.spec ?? {}, errors);
}

/** The selector is for life: it says which pods are the workload's. */
export function validateWorkloadUpdate(kind: Workload, updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  specRules[kind]?.(updated.spec ?? {}, errors);
  const selector: Loose = updated.spec?.selector;
  validateImmutable(selector && goSelector(selector), old.spec?.selector && goSelector(old.spec.selector), 'spec.selector', errors);
}

const counts: Record<Workload, string[]> = {
  Deployment: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'collisionCount',
  ],
  ReplicaSet: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
};
const withinReplicas: Record<Workload, string[]> = {
  Deployment: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  ReplicaSet: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
};

export function validateWorkloadStatusUpdate(kind: Workload, updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateReplicaCounts(updated.status ?? {}, counts[kind], withinReplicas[kind], 'readyReplicas', errors);
  if (kind === 'Deployment') validateCollisionCount(updated, old, errors);
}
