import { invalidValue, required } from '../../status/field-error';
import { isPathSegmentName } from '../../validation/formats';
import { validateTexts, type Errors, type Loose } from '../../validation/values';
import { parseApiVersion } from '../names';

/** Why an apiVersion names no object; undefined when it does. */
export function apiVersionProblem(apiVersion: string, anyGroup: boolean): string | undefined {
  const parsed = parseApiVersion(apiVersion);
  if (!parsed) return `unexpected GroupVersion string: ${apiVersion}`;
  return anyGroup || parsed.group !== '' ? undefined : 'apiVersion must specify API group';
}

/** @param anyVersion the version is not looked at; @param anyGroup the core group will do */
export function validateReference(
  { kind = '', name = '', apiVersion = '' }: Loose,
  { anyVersion, anyGroup }: { anyVersion: boolean; anyGroup: boolean },
  field: string,
  errors: Errors,
): void {
  for (const [key, value] of Object.entries({ kind, name })) {
    if (value === '') errors.push(required(`${field}.${key}`));
    else validateTexts(isPathSegmentName(value as string), value, `${field}.${key}`, errors);
  }
  const problem = anyVersion ? undefined : apiVersionProblem(apiVersion, anyGroup);
  if (problem !== undefined) errors.push(invalidValue(`${field}.apiVersion`, apiVersion, problem));
}
