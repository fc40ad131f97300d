import type { KubeObject } from '#libs/kernel';
import { age, nameOf, rowOf } from '../../printing/cell';
import { invalidValue } from '../../status/field-error';
import { isDnsSubdomain } from '../../validation/formats';
import { validateAnyMetadataUpdate, validateMetadata } from '../../validation/metadata';
import { isSet, negativeText, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';

function validateLeaseSpec(spec: Loose, errors: Errors): void {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec;
  if (isSet(duration) && duration <= 0) errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  if (isSet(transitions) && transitions < 0) errors.push(invalidValue('spec.leaseTransitions', transitions, negativeText));
}

function validateLease(lease: KubeObject, errors: Errors): void {
  validateMetadata(lease.metadata, { namespaced: true, name: isDnsSubdomain, qualifiedFinalizers: false }, errors);
  validateLeaseSpec(lease.spec ?? {}, errors);
}

function validateLeaseUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateAnyMetadataUpdate(updated.metadata, old.metadata, errors);
  validateLeaseSpec(updated.spec ?? {}, errors);
}

/** Fields of a feature that is off by default in the recorded release (CoordinatedLeaderElection): dropped without a word. */
function withoutElection(lease: KubeObject): KubeObject {
  const { strategy, preferredHolder, ...spec } = (lease.spec ?? {}) as Record<string, unknown>;
  if (strategy === undefined && preferredHolder === undefined) return lease;
  return { ...lease, spec };
}

const leases: KindDescription = {
  name: 'leases.coordination.k8s.io',
  served: true,
  createOnUpdate: true,
  conditionalUpdateOnly: true,
  formerVersions: ['coordination.k8s.io/v1beta1'],
  strategy: { create: withoutElection, update: withoutElection },
  validation: { create: validateLease, update: validateLeaseUpdate },
  row: rowOf((lease, now) => [nameOf(lease), lease.spec?.holderIdentity ?? '', age(lease, now)]),
};

export const coordinationKinds: readonly KindDescription[] = [leases];
