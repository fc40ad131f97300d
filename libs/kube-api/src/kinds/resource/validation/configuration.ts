import { isObject } from '#libs/kernel';
import { invalidValue, required, tooLong } from '../../../status/field-error';
import { goJson } from '../../../status/go-value';
import { byteLength } from '../../../validation/formats';
import { isSet, type Errors, type Loose } from '../../../validation/values';
import { validateDriverName } from './names';

const parameterBytesMax = 10 * 1024;

/** What a driver is told: opaque to everybody else. */
export function validateConfiguration({ opaque }: Loose, stored: boolean, field: string, errors: Errors): void {
  if (!isSet(opaque)) {
    errors.push(required(`${field}.opaque`));
    return;
  }
  validateDriverName(opaque.driver ?? '', `${field}.opaque.driver`, errors);
  validateRawObject(opaque.parameters, stored ? undefined : parameterBytesMax, `${field}.opaque.parameters`, errors);
}

/** An object of anybody's making. `bytesMax` absent: it has been stored before there was a bound. */
export function validateRawObject(value: unknown, bytesMax: number | undefined, field: string, errors: Errors): void {
  if (!isSet(value)) errors.push(required(field));
  else if (bytesMax !== undefined && byteLength(goJson(value)) > bytesMax) errors.push(tooLong(field, bytesMax));
  else if (!isObject(value)) errors.push(invalidValue(field, '<value omitted>', 'must be a valid JSON object'));
}
