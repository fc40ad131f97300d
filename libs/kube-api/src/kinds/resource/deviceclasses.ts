import type { KubeObject } from '#libs/kernel';
import { objectIn } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { semanticEqual } from '../../strategy/equality';
import { isDnsSubdomain } from '../../validation/formats';
import { bothRules, validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import type { Errors, Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateConfiguration } from './validation/configuration';
import { validateItems } from './validation/lists';
import { configurationsMax, validateDeviceSelectors } from './validation/requests';

function validateClass(object: KubeObject, errors: Errors): void {
  validateMetadata(object.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  validateClassSpec(object.spec ?? {}, false, errors);
}

function validateClassUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateClassSpec(updated.spec ?? {}, semanticEqual(updated.spec?.config, old.spec?.config), errors);
}

function validateClassSpec(spec: Loose, stored: boolean, errors: Errors): void {
  validateDeviceSelectors(spec.selectors, 'spec.selectors', errors);
  const configuration = (item: Loose, field: string): void => validateConfiguration(item ?? {}, stored, field, errors);
  validateItems(spec.config, configurationsMax, configuration, 'spec.config', errors);
}

export const deviceclasses: KindDescription = {
  name: 'deviceclasses.resource.k8s.io',
  served: true,
  generation: 'managed',
  deletionReturnsObject: true,
  formerVersions: ['resource.k8s.io/v1alpha3', 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2'],
  setDefaults: (object) => {
    const spec = objectIn(object, 'spec');
    // Of a feature that is off by default in the recorded release (DRAExtendedResource).
    if (spec) delete spec['extendedResourceName'];
  },
  validation: { create: validateClass, update: bothRules(validateClass, validateClassUpdate) },
  row: rowOf((object, now) => [nameOf(object), age(object, now)]),
};
