import type { KubeObject } from '#libs/kernel';
import { invalidValue } from '../../status/field-error';
import { isSet, validateNonNegative, type Errors, type Loose } from '../../validation/values';

/**
 * The counts of a workload's status: none is negative, and none of `within` is above that of all replicas.
 * @param ready as the text names the field that `availableReplicas` may not exceed
 */
export function validateReplicaCounts(
  status: Loose,
  counts: readonly string[],
  within: readonly string[],
  ready: 'readyReplicas' | 'status.readyReplicas',
  errors: Errors,
): void {
  for (const field of counts) validateNonNegative(status[field], `status.${field}`, errors);
  const notAbove = (field: string, limit: string, text: string) => {
    if ((status[field] ?? 0) > (status[limit] ?? 0)) errors.push(invalidValue(`status.${field}`, status[field] ?? 0, text));
  };
  for (const field of within) notAbove(field, 'replicas', 'cannot be greater than status.replicas');
  notAbove('availableReplicas', 'readyReplicas', `cannot be greater than ${ready}`);
}

/** Names of revisions are made with the number of collisions so far, which never becomes smaller. */
export function validateCollisionCount(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const before: number | undefined = old.status?.collisionCount;
  const count: number | undefined = updated.status?.collisionCount;
  if (!isSet(before) || (count ?? -1) >= (before as number)) return;
  errors.push(invalidValue('status.collisionCount', count ?? 0, 'cannot be decremented'));
}
