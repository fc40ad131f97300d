import { forbidden } from '../../../status/field-error';
import { listOf, validateSupported, type Errors } from '../../../validation/values';

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

/** Known ones, and the one of a single pod alone. */
export function validateAccessModes(list: unknown, field: string, errors: Errors): void {
  const modes = listOf(list);
  for (const mode of modes) validateSupported(mode, accessModes, field, errors);
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode));
  if (others && modes.includes('ReadWriteOncePod')) {
    errors.push(forbidden(field, 'may not use ReadWriteOncePod with other access modes'));
  }
}

const shortModes: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** `RWO,ROX` */
export function accessModesText(list: unknown): string {
  const modes = listOf(list);
  return shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}
