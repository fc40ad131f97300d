import { canonicalQuantity, type JsonObject } from '#libs/kernel';
import { withoutProtection } from '../../../admission/storage';
import { objectIn, setAbsent, setEmpty } from '../../../defaults/draft';
import { roundRequirements, roundResourceList } from '../../../defaults/resources';
import { age, nameOf, rowOf, type Loose } from '../../../printing/cell';
import type { KindDescription } from '../../behaviour';
import { warnAboutClaim } from '../pods/volume-warnings';
import { accessModesText } from '../volumes/access-modes';
import { classAnnotation, storageClassOf } from '../volumes/storage-class';
import { prepareClaimUpdate, prepareNewClaim } from './strategy';
import { validateClaim, validateClaimStatus, validateClaimUpdate } from './validation';

/** Also of the claims inside a StatefulSet. */
export function setClaimDefaults(claim: JsonObject): void {
  const spec = objectIn(claim, 'spec') ?? {};
  claim['spec'] = spec;
  setAbsent(spec, 'volumeMode', 'Filesystem');
  roundRequirements(spec['resources']);
  const status = objectIn(claim, 'status') ?? {};
  claim['status'] = status;
  setEmpty(status, 'phase', 'Pending');
  roundResourceList(status['capacity']);
  roundResourceList(status['allocatedResources']);
}

export const persistentvolumeclaims: KindDescription = {
  name: 'persistentvolumeclaims',
  served: true,
  deletionReturnsObject: true,
  setDefaults: setClaimDefaults,
  strategy: { create: prepareNewClaim, asAsked: withoutProtection('persistentvolumeclaims'), update: prepareClaimUpdate },
  validation: { create: validateClaim, update: validateClaimUpdate, subresources: { status: validateClaimStatus } },
  warn: (claim, _old, warnings) => {
    if (Object.hasOwn(claim.metadata.annotations ?? {}, classAnnotation)) {
      warnings.push(`metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`);
    }
    warnAboutClaim(claim.spec ?? {}, 'spec', warnings);
  },
  row: rowOf((claim, now) => {
    const { metadata, spec = {}, status }: Loose = claim;
    const isBound = Boolean(spec.volumeName);
    return [
      nameOf(claim),
      metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
      spec.volumeName ?? '',
      isBound ? (canonicalQuantity(status?.capacity?.storage ?? '0') ?? '0') : '',
      isBound ? accessModesText(status?.accessModes) : '',
      storageClassOf(claim),
      spec.volumeAttributesClassName ?? '<unset>',
      age(claim, now),
      spec.volumeMode ?? '<unset>',
    ];
  }),
};
