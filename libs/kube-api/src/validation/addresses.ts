export { canonicalAddress, formatIPv4, inCidr, parseAddress, parseCidr, type Address, type AddressRange } from '#libs/kernel';
import { parseAddress, parseCidr } from '#libs/kernel';
import { invalidValue } from '../status/field-error';
import type { FieldError } from '../status/field-error';

export function validateIP(text: string, field: string): FieldError[] {
  return parseAddress(text) ? [] : [invalidValue(field, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
}

export function validateCidr(text: string, field: string): FieldError[] {
  return parseCidr(text) ? [] : [invalidValue(field, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
}
