import type { KubeObject } from '#libs/kernel';
import { age, nameOf, none, rowOf } from '../../printing/cell';
import { required } from '../../status/field-error';
import { isDnsSubdomain, isPathSegmentName } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { validateStrictIP } from '../../validation/legacy-addresses';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { semanticEqual } from '../../strategy/equality';
import { invalidValue } from '../../status/field-error';
import { immutableText, isSet, validateTexts, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateSegment } from './references';

/** The address is the name, written in the one way that there is. */
function isAddressName(name: string): string[] {
  const found: Errors = [];
  validateStrictIP(name, '', found);
  return found.map(({ body }) => body.replace(/^Invalid value: "(?:[^"\\]|\\.)*": /, ''));
}

function validateAddress(address: KubeObject, errors: Errors): void {
  validateMetadata(address.metadata, { namespaced: false, name: isAddressName }, errors);
  const parent = address.spec?.parentRef as Loose;
  const field = 'spec.parentRef';
  if (!isSet(parent)) {
    errors.push(required(field));
    return;
  }
  const { group, resource, name, namespace } = parent;
  if (group) validateTexts(isDnsSubdomain(group), group, `${field}.group`, errors);
  validateSegment(resource, `${field}.resource`, errors);
  validateSegment(name, `${field}.name`, errors);
  if (namespace) validateTexts(isPathSegmentName(namespace), namespace, `${field}.namespace`, errors);
}

function validateAddressUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateAddress(updated, errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const parent = updated.spec?.parentRef as Loose;
  if (semanticEqual(parent, old.spec?.parentRef)) return;
  errors.push(invalidValue('spec.parentRef', isSet(parent) ? goShape('ParentReference', parent) : null, immutableText));
}

/** `services/NAMESPACE/NAME` */
function parentText(parent: Loose): string {
  if (!isSet(parent)) return none;
  const { group, resource = '', namespace, name = '' } = parent;
  const kind = (group ? `${resource}.${group}` : resource).toLowerCase();
  return namespace ? `${kind}/${namespace}/${name}` : `${kind}/${name}`;
}

export const ipaddresses: KindDescription = {
  name: 'ipaddresses.networking.k8s.io',
  served: true,
  formerVersions: ['networking.k8s.io/v1beta1'],
  validation: { create: validateAddress, update: validateAddressUpdate },
  // Upstream writes an age behind the two columns that it has.
  row: rowOf((address, now) => [nameOf(address), parentText(address.spec?.parentRef), age(address, now)]),
};
