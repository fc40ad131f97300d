import { invalidValue, required, unsupported } from '../status/field-error';
import type { FieldError } from '../status/field-error';
import { semanticEqual } from '../strategy/equality';
import { isDnsLabel, isDnsSubdomain, isPercent, isPortName, isPortNumber, isQualifiedName } from './formats';

/**
 * Checks of single values. Each appends what it finds to `errors`, which keeps the order of upstream's texts without a list for
 * every field of every object.
 */
export type Errors = FieldError[];

/** Decoded JSON of a known kind: types are checked before validation, presence is not. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Loose = any;

export const negativeText = 'must be greater than or equal to 0';
export const notPositiveText = 'must be greater than zero';
export const immutableText = 'field is immutable';

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A list, whatever the client left out. */
export function listOf(value: unknown): Loose[] {
  return Array.isArray(value) ? value : [];
}

export function entriesOf(value: unknown): [string, Loose][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

export function validateTexts(texts: readonly string[], value: unknown, field: string, errors: Errors): void {
  for (const text of texts) errors.push(invalidValue(field, value, text));
}

export function validateNonNegative(value: unknown, field: string, errors: Errors): void {
  if (typeof value === 'number' && value < 0) errors.push(invalidValue(field, value, negativeText));
}

export function validateImmutable(updated: unknown, old: unknown, field: string, errors: Errors): void {
  if (!semanticEqual(updated, old)) errors.push(invalidValue(field, updated, immutableText));
}

export function validateDnsLabel(value: string, field: string, errors: Errors): void {
  validateTexts(isDnsLabel(value), value, field, errors);
}

export function validateDnsSubdomain(value: string, field: string, errors: Errors): void {
  validateTexts(isDnsSubdomain(value), value, field, errors);
}

export function validateQualifiedName(value: string, field: string, errors: Errors): void {
  validateTexts(isQualifiedName(value), value, field, errors);
}

/** A closed set of values. `order`: as upstream lists them in its text. */
export function validateSupported(value: unknown, order: readonly string[], field: string, errors: Errors): void {
  if (!order.includes(value as string)) errors.push(unsupported(field, value ?? '', order));
}

/** As `validateSupported`, for a field that must be there. */
export function validateRequiredSupported(value: unknown, order: readonly string[], field: string, errors: Errors): void {
  if (!value) errors.push(required(field));
  else validateSupported(value, order, field, errors);
}

/** A port by number or by name. Anything absent counts as port 0. */
export function validatePort(value: unknown, field: string, errors: Errors): void {
  if (typeof value === 'string') validateTexts(isPortName(value), value, field, errors);
  else {
    const port = typeof value === 'number' ? value : 0;
    validateTexts(isPortNumber(port), port, field, errors);
  }
}

/** A count or a percentage. */
export function validateIntOrPercent(value: unknown, field: string, errors: Errors): void {
  if (typeof value === 'string') validateTexts(isPercent(value), value, field, errors);
  else validateNonNegative(value, field, errors);
}

export function validateNotOver100Percent(value: unknown, field: string, errors: Errors): void {
  if (typeof value !== 'string' || isPercent(value).length > 0) return;
  if (Number(value.slice(0, -1)) > 100) errors.push(invalidValue(field, value, 'must not be greater than 100%'));
}

/** The number of a count or a percentage; what is neither is 0 (upstream `getIntOrPercentValue`). */
export function wholeOf(value: unknown): number {
  if (typeof value === 'string') return isPercent(value).length > 0 ? 0 : Number(value.slice(0, -1));
  return typeof value === 'number' ? value : 0;
}
