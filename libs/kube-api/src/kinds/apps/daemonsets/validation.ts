import type { KubeObject } from '#libs/kernel';
import { validateObjectSelector } from '../../../selectors/object-selector';
import { invalidValue, required, unsupported } from '../../../status/field-error';
import { isDnsSubdomain } from '../../../validation/formats';
import { goSelector, goShape } from '../../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import {
  isSet,
  listOf,
  validateImmutable,
  validateIntOrPercent,
  validateNonNegative,
  validateNotOver100Percent,
  wholeOf,
  type Errors,
  type Loose,
} from '../../../validation/values';
import { foundBy, validatePodTemplate, validateRunsForEver, validateTemplateLabels } from '../../core/pods/validation/pod-template';
import { validateCollisionCount } from '../status-counts';

export function validateDaemonSet(set: KubeObject, errors: Errors): void {
  validateMetadata(set.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateSpec(set.spec ?? {}, errors);
}

/** The selector is for life. What the template's generation may be, the strategy sees to. */
export function validateDaemonSetUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const selector: Loose = updated.spec?.selector;
  validateImmutable(selector && goSelector(selector), old.spec?.selector && goSelector(old.spec.selector), 'spec.selector', errors);
  validateSpec(updated.spec ?? {}, errors);
}

const statusCounts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

export function validateDaemonSetStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  for (const field of statusCounts) validateNonNegative(updated.status?.[field], `status.${field}`, errors);
  validateCollisionCount(updated, old, errors);
}

function validateSpec(spec: Loose, errors: Errors): void {
  const { selector, template = {} } = spec;
  const found = validateObjectSelector(selector, {}, 'spec.selector');
  errors.push(...found);
  if (found.length === 0) validateTemplateLabels(template, foundBy(selector), 'spec.template', errors);
  if (isSet(selector) && Object.keys(selector.matchLabels ?? {}).length + listOf(selector.matchExpressions).length === 0) {
    errors.push(invalidValue('spec.selector', goSelector(selector), 'empty selector is invalid for daemonset'));
  }
  validatePodTemplate(template, 'spec.template', errors);
  validateRunsForEver(template, 'DaemonSet', 'spec.template', errors);
  validateNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors);
  validateStrategy(spec.updateStrategy ?? {}, 'spec.updateStrategy', errors);
  validateNonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit', errors);
}

function validateStrategy(strategy: Loose, field: string, errors: Errors): void {
  const { type, rollingUpdate: rolling } = strategy;
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate')
    errors.push(unsupported(field, goShape('DaemonSetUpdateStrategy', strategy), ['RollingUpdate', 'OnDelete']));
  else if (!isSet(rolling)) errors.push(required(`${field}.rollingUpdate`));
  else validateRollingUpdate(rolling, `${field}.rollingUpdate`, errors);
}

/** Pods are either taken away before their successors come, or after: one of the two counts is 0. */
function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: Loose, field: string, errors: Errors): void {
  validateIntOrPercent(maxUnavailable, `${field}.maxUnavailable`, errors);
  validateIntOrPercent(maxSurge, `${field}.maxSurge`, errors);
  validateNotOver100Percent(maxUnavailable, `${field}.maxUnavailable`, errors);
  validateNotOver100Percent(maxSurge, `${field}.maxSurge`, errors);
  const before = wholeOf(maxUnavailable) !== 0;
  const after = wholeOf(maxSurge) !== 0;
  if (before && after) errors.push(invalidValue(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  else if (!before && !after) errors.push(required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
}
