import { invalidValue } from '../../../../status/field-error';
import type { Errors } from '../../../../validation/values';

/** A path that does not climb. */
export function validateNoBacksteps(path: string, field: string, errors: Errors): void {
  if (climbs(path)) errors.push(invalidValue(field, path, "must not contain '..'"));
}

export function climbs(path: string): boolean {
  return path.split('/').includes('..');
}

/** A path below a folder: relative, and not climbing out of it. */
export function validateLocalDescendingPath(path: string, field: string, errors: Errors): void {
  if (path.startsWith('/')) errors.push(invalidValue(field, path, 'must be a relative path'));
  validateNoBacksteps(path, field, errors);
}

/** As `validateLocalDescendingPath`, and not one of the names that volumes keep for themselves. */
export function validateLocalNonReservedPath(path: string, field: string, errors: Errors): void {
  validateLocalDescendingPath(path, field, errors);
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalidValue(field, path, "must not start with '..'"));
}
