import type { KubeObject } from '#libs/kernel';
import { age, nameOf, rowOf } from '../../printing/cell';
import { validateObjectSelector } from '../../selectors/object-selector';
import { invalidValue, unsupported } from '../../status/field-error';
import { goShape } from '../../validation/go-shapes';
import { validateConditions } from '../../validation/metadata';
import {
  isSet,
  validateIntOrPercent,
  validateNonNegative,
  validateNotOver100Percent,
  type Errors,
  type Loose,
} from '../../validation/values';
import type { KindDescription } from '../behaviour';

const unhealthyPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

/** The spec alone: upstream checks no more of a budget's metadata than it checks of any object's. */
function validateDisruptionBudget(budget: KubeObject, errors: Errors): void {
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

function validateDisruptionBudgetStatus(budget: KubeObject, errors: Errors): void {
  const status: Loose = budget.status ?? {};
  validateConditions(status.conditions, 'status.conditions', errors);
  for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']) {
    validateNonNegative(status[field], `status.${field}`, errors);
  }
}

const budgetRow = rowOf((budget, now) => {
  const { minAvailable = 'N/A', maxUnavailable = 'N/A' } = budget.spec ?? {};
  return [nameOf(budget), String(minAvailable), String(maxUnavailable), budget.status?.disruptionsAllowed ?? 0, age(budget, now)];
});

const poddisruptionbudgets: KindDescription = {
  name: 'poddisruptionbudgets.policy',
  served: true,
  generation: 'managed',
  conditionalUpdateOnly: true,
  formerVersions: ['policy/v1beta1'],
  strategy: { zeroStatus: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 } },
  validation: {
    create: validateDisruptionBudget,
    update: (updated, _, errors) => validateDisruptionBudget(updated, errors),
    subresources: { status: (updated, _, errors) => validateDisruptionBudgetStatus(updated, errors) },
  },
  row: budgetRow,
};

export const policyKinds: readonly KindDescription[] = [poddisruptionbudgets];
