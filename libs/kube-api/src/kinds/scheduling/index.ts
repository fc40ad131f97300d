import type { KubeObject } from '#libs/kernel';
import { systemPriorityClasses } from '../../admission/priority';
import { setAbsent } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { forbidden } from '../../status/field-error';
import { isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, validateImmutable, type Errors } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validatePreemptionPolicy } from '../core/pods/validation/pod-spec';

/** What a user's class may be worth at most. */
const userValueMax = 1_000_000_000;
const systemPrefix = 'system-';

function validatePriorityClass(object: KubeObject, errors: Errors): void {
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

function validatePriorityClassUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if ((updated.value ?? 0) !== (old.value ?? 0)) errors.push(forbidden('value', 'may not be changed in an update.'));
  validateImmutable(updated.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy', errors);
}

const priorityClassRow = rowOf((object, now) => [
  nameOf(object),
  object.value ?? 0,
  object.globalDefault === true,
  age(object, now),
  object.preemptionPolicy ?? '',
]);

const priorityclasses: KindDescription = {
  name: 'priorityclasses.scheduling.k8s.io',
  served: true,
  generation: 'fixed',
  formerVersions: ['scheduling.k8s.io/v1beta1', 'scheduling.k8s.io/v1alpha1'],
  setDefaults: (object) => setAbsent(object, 'preemptionPolicy', 'PreemptLowerPriority'),
  validation: { create: validatePriorityClass, update: validatePriorityClassUpdate },
  row: priorityClassRow,
};

export const schedulingKinds: readonly KindDescription[] = [priorityclasses];
