import type { ObjectMeta } from '#libs/kernel';
import { duplicate, required } from '../../status/field-error';
import { resettable } from '../../strategy/status-update';
import { listOf, type Errors, type Loose } from '../../validation/values';

/** A write through /status changes nothing of the metadata. */
export const allMetadata: readonly (keyof ObjectMeta)[] = [...resettable, 'generateName', 'deletionGracePeriodSeconds'];

/** Each type once. */
export function validateFlowConditions(status: Loose, errors: Errors): void {
  const seen = new Set<string>();
  for (const [index, condition] of listOf(status?.conditions).entries()) {
    const field = `status.conditions[${index}].type`;
    const type: string = condition?.type ?? '';
    if (seen.has(type)) errors.push(duplicate(field, type));
    seen.add(type);
    if (type === '') errors.push(required(field));
  }
}
