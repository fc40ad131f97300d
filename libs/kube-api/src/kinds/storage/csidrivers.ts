import type { JsonObject, KubeObject } from '#libs/kernel';
import { objectIn, setAbsent } from '../../defaults/draft';
import { age, nameOf, none, rowOf } from '../../printing/cell';
import { duplicate, invalidValue, unsupported } from '../../status/field-error';
import { isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, listOf, validateImmutable, validateSupported, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';

function setDriverDefaults(driver: JsonObject): void {
  const spec = objectIn(driver, 'spec') ?? {};
  driver['spec'] = spec;
  setAbsent(spec, 'attachRequired', true);
  setAbsent(spec, 'podInfoOnMount', false);
  setAbsent(spec, 'storageCapacity', false);
  setAbsent(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
  if (listOf(spec['volumeLifecycleModes']).length === 0) spec['volumeLifecycleModes'] = ['Persistent'];
  setAbsent(spec, 'requiresRepublish', false);
  setAbsent(spec, 'seLinuxMount', false);
}

/** A field of a feature that is off by default in the recorded release (MutableCSINodeAllocatableCount): dropped without a word. */
function withoutUpdatePeriod(driver: KubeObject): KubeObject {
  if (!isSet(driver.spec?.nodeAllocatableUpdatePeriodSeconds)) return driver;
  const { nodeAllocatableUpdatePeriodSeconds: _, ...spec } = driver.spec as Record<string, unknown>;
  return { ...driver, spec };
}

function validateDriver(driver: KubeObject, errors: Errors): void {
  validateMetadata(driver.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  validateSpec(driver.spec ?? {}, errors);
}

/** What defaults fill in is there. */
function validateSpec(spec: Loose, errors: Errors): void {
  validateSupported(spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], 'spec.fsGroupPolicy', errors);
  validateTokenRequests(spec.tokenRequests, 'spec.tokenRequests', errors);
  for (const mode of listOf(spec.volumeLifecycleModes)) {
    if (mode !== 'Persistent' && mode !== 'Ephemeral') {
      errors.push(unsupported('spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral']));
    }
  }
}

function validateTokenRequests(requests: unknown, field: string, errors: Errors): void {
  const audiences = new Set<string>();
  for (const [index, { audience = '', expirationSeconds: seconds }] of listOf(requests).entries()) {
    if (audiences.has(audience)) {
      errors.push(duplicate(`${field}[${index}].audience`, audience));
      continue;
    }
    audiences.add(audience);
    const at = `${field}[${index}].expirationSeconds`;
    if (!isSet(seconds)) continue;
    if (seconds < 600) errors.push(invalidValue(at, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > 2 ** 32) errors.push(invalidValue(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
}

/** Volumes that are there rely on how their driver attaches them. */
function validateDriverUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSpec(updated.spec ?? {}, errors);
  validateImmutable(updated.spec?.attachRequired, old.spec?.attachRequired, 'spec.attachedRequired', errors);
  validateImmutable(updated.spec?.volumeLifecycleModes, old.spec?.volumeLifecycleModes, 'spec.volumeLifecycleModes', errors);
}

export const csidrivers: KindDescription = {
  name: 'csidrivers.storage.k8s.io',
  served: true,
  generation: 'raised',
  conditionalUpdateOnly: true,
  deletionReturnsObject: true,
  formerVersions: ['storage.k8s.io/v1beta1'],
  setDefaults: setDriverDefaults,
  strategy: { create: withoutUpdatePeriod, update: withoutUpdatePeriod },
  validation: { create: validateDriver, update: validateDriverUpdate },
  row: rowOf((driver, now) => {
    const spec: Loose = driver.spec ?? {};
    return [
      nameOf(driver),
      spec.attachRequired !== false,
      spec.podInfoOnMount === true,
      spec.storageCapacity === true,
      isSet(spec.tokenRequests)
        ? listOf(spec.tokenRequests)
            .map(({ audience = '' }) => audience)
            .join(',')
        : '<unset>',
      spec.requiresRepublish === true,
      listOf(spec.volumeLifecycleModes).join(',') || none,
      age(driver, now),
    ];
  }),
};
