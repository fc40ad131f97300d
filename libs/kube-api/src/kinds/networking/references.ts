import { required } from '../../status/field-error';
import { isDnsSubdomain, isPathSegmentName } from '../../validation/formats';
import { isSet, validateTexts, type Errors, type Loose } from '../../validation/values';

/** A name that must be there and fit into a path. */
export function validateSegment(value: string | undefined, field: string, errors: Errors): void {
  if (!value) errors.push(required(field));
  else validateTexts(isPathSegmentName(value), value, field, errors);
}

/** An object of any kind, by group, kind and name. */
export function validateObjectReference({ apiGroup, kind, name }: Loose, field: string, errors: Errors): void {
  if (isSet(apiGroup)) validateTexts(isDnsSubdomain(apiGroup), apiGroup, `${field}.apiGroup`, errors);
  validateSegment(kind, `${field}.kind`, errors);
  validateSegment(name, `${field}.name`, errors);
}
