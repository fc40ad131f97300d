import type { JsonObject, KubeObject } from '#libs/kernel';
import { listIn, objectIn, setEmpty } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { columnsAround } from '../../printing/columns';
import { invalidValue } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { resettable, statusUpdate } from '../../strategy/status-update';
import { isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { bothRules, validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { immutableText, isSet, listOf, type Errors } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { dropFromClaim, dropFromClaimStatus } from './disabled-fields';
import { deviceIdOf, validateClaimStatus } from './validation/allocation';
import { requestNamesOf, validateClaim } from './validation/requests';

/** One device, unless more or all are asked for. */
export function setClaimDefaults(claim: JsonObject): void {
  for (const request of listIn(objectIn(claim, 'devices') ?? {}, 'requests')) {
    const exactly = objectIn(request, 'exactly');
    for (const wanted of [...(exactly ? [exactly] : []), ...listIn(request, 'firstAvailable')]) {
      setEmpty(wanted, 'allocationMode', 'ExactCount');
      if (wanted['allocationMode'] === 'ExactCount') setEmpty(wanted, 'count', 1);
    }
  }
  dropFromClaim(claim);
}

function validateNewClaim(claim: KubeObject, errors: Errors): void {
  validateMetadata(claim.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateClaim(claim.spec, false, 'spec', errors);
}

/** What is asked for is for life. */
function validateClaimUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if (!semanticEqual(updated.spec, old.spec)) {
    errors.push(invalidValue('spec', goShape('ResourceClaimSpec', updated.spec), immutableText));
  }
  validateClaim(updated.spec, true, 'spec', errors);
}

function validateStatusUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const isDeleted = isSet(updated.metadata.deletionTimestamp);
  validateClaimStatus(updated.status ?? {}, old.status ?? {}, requestNamesOf(updated.spec), isDeleted, errors);
}

/** What a driver said of a device goes with the device. */
function withoutDeallocated(updated: KubeObject, old: KubeObject): KubeObject {
  const results = (claim: KubeObject): string[] => listOf(claim.status?.allocation?.devices?.results).map(deviceIdOf);
  const kept = new Set(results(updated));
  const gone = new Set(results(old).filter((id) => !kept.has(id)));
  const next = statusUpdate(updated, old, resettable);
  if (gone.size === 0 || listOf(next.status?.devices).length === 0) return next;
  const devices = listOf(next.status?.devices).filter((device) => !gone.has(deviceIdOf(device)));
  const { devices: _, ...status } = next.status ?? {};
  return { ...next, status: devices.length > 0 ? { ...status, devices } : status };
}

/** `pending`, `allocated,reserved`, `deleted,allocated` */
function stateOf({ metadata, status }: KubeObject): string {
  const isDeleted = isSet(metadata.deletionTimestamp);
  const states = isDeleted ? ['deleted'] : [];
  if (isSet(status?.allocation)) states.push('allocated', ...(listOf(status?.reservedFor).length > 0 ? ['reserved'] : []));
  else if (!isDeleted) states.push('pending');
  return states.join(',');
}

export const resourceclaims: KindDescription = {
  name: 'resourceclaims.resource.k8s.io',
  served: true,
  deletionReturnsObject: true,
  formerVersions: ['resource.k8s.io/v1alpha3', 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2'],
  setDefaults: (claim) => {
    setClaimDefaults(objectIn(claim, 'spec') ?? {});
    dropFromClaimStatus(objectIn(claim, 'status') ?? {});
  },
  strategy: { subresources: { status: withoutDeallocated } },
  validation: {
    create: validateNewClaim,
    update: bothRules(validateNewClaim, validateClaimUpdate),
    subresources: { status: validateStatusUpdate },
  },
  get columns() {
    return columnsAround(['State', 'string', 'A summary of the current state (allocated, pending, reserved, etc.).']);
  },
  row: rowOf((claim, now) => [nameOf(claim), stateOf(claim), age(claim, now)]),
};
