import { invalidValue, required, tooLong } from '../../status/field-error';
import { byteLength } from '../../validation/formats';
import { entriesOf, validateQualifiedName, type Errors } from '../../validation/values';

const parametersMax = 512;
const parameterBytesMax = 256 * 1024;

/** What a class hands to its driver. */
export function validateParameters(parameters: unknown, field: string, errors: Errors): void {
  const entries = entriesOf(parameters);
  if (entries.length > parametersMax) {
    errors.push(tooLong(field, parametersMax));
    return;
  }
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === '') errors.push(invalidValue(field, key, 'field can not be empty.'));
    bytes += byteLength(key) + byteLength(value as string);
  }
  if (bytes > parameterBytesMax) errors.push(tooLong(field, parameterBytesMax));
}

/** The name of a driver or provisioner, which may have large letters. */
export function validateProvisioner(provisioner: string, field: string, errors: Errors): void {
  if (provisioner === '') errors.push(required(field));
  else validateQualifiedName(provisioner.toLowerCase(), field, errors);
}
