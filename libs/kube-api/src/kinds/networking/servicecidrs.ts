import type { KubeObject } from '#libs/kernel';
import { age, nameOf, rowOf } from '../../printing/cell';
import { invalidValue, required } from '../../status/field-error';
import { keepMetadata, resettable, statusUpdate } from '../../strategy/status-update';
import { isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { parseLegacyCidr, validateStrictCidr } from '../../validation/legacy-addresses';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { immutableText, listOf, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';

const field = 'spec.cidrs';

function validateRanges(spec: Loose, errors: Errors): void {
  const ranges = listOf(spec?.cidrs) as string[];
  if (ranges.length === 0) {
    errors.push(required(field, 'at least one CIDR required'));
    return;
  }
  if (ranges.length > 2) {
    errors.push(invalidValue(field, goShape('ServiceCIDRSpec', spec), 'may only hold up to 2 values'));
    return;
  }
  for (const [index, range] of ranges.entries()) validateStrictCidr(range, `${field}[${index}]`, errors);
  const [first, second] = ranges.map((range) => parseLegacyCidr(range)?.family);
  if (ranges.length === 2 && first !== undefined && first === second) {
    const text = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalidValue(field, ranges, text));
  }
}

function validateServiceCidr(object: KubeObject, errors: Errors): void {
  validateMetadata(object.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  validateRanges(object.spec, errors);
}

/** Ranges stay; one of the other family may come. */
function validateServiceCidrUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const now = listOf(updated.spec?.cidrs) as string[];
  const was = listOf(old.spec?.cidrs) as string[];
  const isGrowth = was.length === 1 && now.length === 2;
  if (was.length !== now.length && !isGrowth) {
    errors.push(invalidValue(field, now.length > 0 ? now : null, immutableText));
    return;
  }
  for (const [index, range] of was.entries()) {
    if (range !== now[index]) errors.push(invalidValue(`${field}[${index}]`, now[index], immutableText));
  }
  if (isGrowth) validateRanges(updated.spec, errors);
}

export const servicecidrs: KindDescription = {
  name: 'servicecidrs.networking.k8s.io',
  served: true,
  formerVersions: ['networking.k8s.io/v1beta1'],
  // Upstream lets every write reach the status.
  strategy: {
    create: (object) => object,
    update: (updated) => updated,
    owns: { object: { except: [] }, status: { except: ['spec'] } },
    subresources: { status: (updated, old) => keepMetadata(statusUpdate(updated, old), old, resettable) },
  },
  validation: {
    create: validateServiceCidr,
    update: validateServiceCidrUpdate,
    subresources: { status: (updated, old, errors) => validateMetadataUpdate(updated.metadata, old.metadata, errors) },
  },
  row: rowOf((object, now) => [nameOf(object), listOf(object.spec?.cidrs).join(','), age(object, now)]),
};
