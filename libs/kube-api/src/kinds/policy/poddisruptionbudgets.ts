import type { KubeObject } from '#libs/kernel';
import { systemPriorityClasses } from '../../admission/priority';
import { forbidden, invalidValue, unsupported } from '../../status/field-error';
import { validateObjectSelector } from '../../selectors/object-selector';
import { isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { validateConditions, validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { validatePreemptionPolicy } from '../core/pods/validation/pod-spec';
import type { Errors, Loose } from '../../validation/values';
import { isSet, validateImmutable, validateIntOrPercent, validateNonNegative, validateNotOver100Percent } from '../../validation/values';

/** What a user's class may be worth at most. */
const userValueMax = 1_000_000_000;
const systemPrefix = 'system-';

export function validatePriorityClass(object: KubeObject, errors: Errors): void {
  const {
    value = 0,
    globalDefault = false,
    preemptionPolicy,
  } = object as { value?: number; globalDefault?: boolean; preemptionPolicy?: string };
  const { name = '' } = object.metadata;
  validateMetadata(object.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  if (name.startsWith(systemPrefix)) {
    const why = unknownSystemClass(name, value, globalDefault);
    if (why) {
      const text = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${why}`;
      errors.push(forbidden('metadata.name', text));
    }
  } else if (value > userValueMax) {
    errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${userValueMax}`));
  }
  if (isSet(preemptionPolicy)) validatePreemptionPolicy(preemptionPolicy, 'preemptionPolicy', errors);
}

/** Why a class with the system's prefix is none of the system's; undefined when it is one. */
function unknownSystemClass(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemPriorityClasses.find((candidate) => candidate.name === name);
  if (!known) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function validatePriorityClassUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if ((updated.value ?? 0) !== (old.value ?? 0)) errors.push(forbidden('value', 'may not be changed in an update.'));
  validateImmutable(updated.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy', errors);
}

const unhealthyPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

/** The spec alone: upstream checks no more of a budget's metadata than it checks of any object's. */
export function validateDisruptionBudget(budget: KubeObject, errors: Errors): void {
  const spec: Loose = budget.spec ?? {};
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  if (isSet(minAvailable) && isSet(maxUnavailable)) {
    errors.push(invalidValue('spec', goShape('PodDisruptionBudgetSpec', spec), 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const field of ['minAvailable', 'maxUnavailable']) {
    if (!isSet(spec[field])) continue;
    validateIntOrPercent(spec[field], `spec.${field}`, errors);
    validateNotOver100Percent(spec[field], `spec.${field}`, errors);
  }
  errors.push(...validateObjectSelector(spec.selector, {}, 'spec.selector'));
  if (isSet(policy) && !unhealthyPolicies.includes(policy)) {
    errors.push(unsupported('spec.unhealthyPodEvictionPolicy', policy, unhealthyPolicies));
  }
}

export function validateDisruptionBudgetStatus(budget: KubeObject, errors: Errors): void {
  const status: Loose = budget.status ?? {};
  validateConditions(status.conditions, 'status.conditions', errors);
  for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']) {
    validateNonNegative(status[field], `status.${field}`, errors);
  }
}
