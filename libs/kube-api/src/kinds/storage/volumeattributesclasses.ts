import type { KubeObject } from '#libs/kernel';
import { withoutProtection } from '../../admission/storage';
import { age, nameOf, rowOf } from '../../printing/cell';
import { forbidden, required } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { entriesOf, type Errors } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateParameters, validateProvisioner } from './parameters';

function validateClass(attributes: KubeObject, errors: Errors): void {
  validateMetadata(attributes.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  validateProvisioner(attributes.driverName ?? '', 'driverName', errors);
  validateParameters(attributes.parameters, 'parameters', errors);
  if (entriesOf(attributes.parameters).length === 0) errors.push(required('parameters', 'must contain at least one key/value pair'));
}

/** Upstream checks the class before and after what an update may not change, so findings come twice. */
function validateClassUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateClass(updated, errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  for (const field of ['driverName', 'parameters']) {
    if (!semanticEqual(updated[field], old[field], field)) errors.push(forbidden(field, `updates to ${field} are forbidden.`));
  }
  validateClass(updated, errors);
}

export const volumeattributesclasses: KindDescription = {
  name: 'volumeattributesclasses.storage.k8s.io',
  served: true,
  deletionReturnsObject: true,
  formerVersions: ['storage.k8s.io/v1beta1'],
  strategy: { asAsked: withoutProtection('volumeattributesclasses.storage.k8s.io') },
  validation: { create: validateClass, update: validateClassUpdate },
  row: rowOf((attributes, now) => [nameOf(attributes), attributes.driverName ?? '', age(attributes, now)]),
};
