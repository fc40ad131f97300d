import { invalidValue, required, tooLong } from '../../../status/field-error';
import { byteLength, isDnsSubdomain, patternText } from '../../../validation/formats';
import { validateDnsSubdomain, validateTexts, type Errors } from '../../../validation/values';

export const driverBytesMax = 63;
const poolBytesMax = 253;
const identifierBytesMax = 32;
/** A domain, a slash and a name. */
export const qualifiedBytesMax = driverBytesMax + 1 + identifierBytesMax;

/** Drivers of devices are named as those of storage are. */
export function validateDriverName(driver: string, field: string, errors: Errors): void {
  if (driver === '') errors.push(required(field));
  if (byteLength(driver) > driverBytesMax) errors.push(tooLong(field, driverBytesMax));
  validateTexts(isDnsSubdomain(driver.toLowerCase()), driver, field, errors);
}

/** A pool belongs to a driver, often to a node: parts with slashes between them. */
export function validatePoolName(pool: string, field: string, errors: Errors): void {
  if (pool === '') {
    errors.push(required(field));
    return;
  }
  if (byteLength(pool) > poolBytesMax) errors.push(tooLong(field, poolBytesMax));
  for (const part of pool.split('/')) validateDnsSubdomain(part, field, errors);
}

/** Names of attributes and capacities: an identifier, within the domain of whoever defines it. */
export function validateQualifiedDeviceName(name: string, field: string, errors: Errors): void {
  if (name === '') {
    errors.push(required(field, 'name required'));
    return;
  }
  const parts = name.split('/');
  const [domain, identifier = ''] = parts.length === 1 ? [undefined, name] : parts;
  // Upstream has no rule for more than one slash.
  if (parts.length > 2) return;
  if (domain === '') errors.push(required(field, 'the domain must not be empty'));
  else if (domain !== undefined) validateDriverName(domain, field, errors);
  if (identifier === '') errors.push(required(field, 'the name must not be empty'));
  else validateIdentifier(identifier, field, errors);
}

export function validateFullyQualifiedName(name: string, field: string, errors: Errors): void {
  validateQualifiedDeviceName(name, field, errors);
  if (name !== '' && !name.includes('/')) errors.push(invalidValue(field, name, 'must include a domain'));
}

const identifierExpression = '[A-Za-z_][A-Za-z0-9_]*';
const identifier = new RegExp(`^${identifierExpression}$`);
const identifierText = patternText(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  identifierExpression,
  'my_name',
  'MY_NAME',
  'MyName',
);

function validateIdentifier(name: string, field: string, errors: Errors): void {
  if (byteLength(name) > identifierBytesMax) errors.push(tooLong(field, identifierBytesMax));
  if (!identifier.test(name)) errors.push(invalidValue(field, name, identifierText));
}
