import { goQuote, goValue } from './go-value';

/** What is wrong with a field; the text is the reason that the Status' cause carries. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueForbidden'
  | 'FieldValueInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueNotSupported'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One finding of validation. `body` is the text behind `FIELD: `, complete. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Path such as `spec.containers[0].name`; upstream writes `<nil>` where there is none. */
  readonly field: string;
  readonly body: string;
}

const heads: Record<FieldErrorType, string> = {
  FieldValueRequired: 'Required value',
  FieldValueForbidden: 'Forbidden',
  FieldValueInvalid: 'Invalid value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

function withoutValue(type: FieldErrorType, field: string, detail: string): FieldError {
  return { type, field, body: detail === '' ? heads[type] : `${heads[type]}: ${detail}` };
}

function withValue(type: FieldErrorType, field: string, value: unknown, detail: string): FieldError {
  const body = `${heads[type]}: ${goValue(value)}`;
  return { type, field, body: detail === '' ? body : `${body}: ${detail}` };
}

export function required(field: string, detail = ''): FieldError {
  return withoutValue('FieldValueRequired', field, detail);
}

export function forbidden(field: string, detail: string): FieldError {
  return withoutValue('FieldValueForbidden', field, detail);
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return withValue('FieldValueInvalid', field, value, detail);
}

/** Where the value says nothing that the detail does not. */
export function invalidField(field: string, detail: string): FieldError {
  return withoutValue('FieldValueInvalid', field, detail);
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return withValue('FieldValueTypeInvalid', field, value, detail);
}

export function duplicate(field: string, value: unknown, detail = ''): FieldError {
  return withValue('FieldValueDuplicate', field, value, detail);
}

export function notFoundValue(field: string, value: unknown, detail = ''): FieldError {
  return withValue('FieldValueNotFound', field, value, detail);
}

/** The order of the supported values is fixed per field and is the caller's to know. */
export function unsupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return withValue('FieldValueNotSupported', field, value, detail);
}

export function tooLong(field: string, bytesMax: number): FieldError {
  const most = `may not be more than ${bytesMax} byte${bytesMax === 1 ? '' : 's'}`;
  return withoutValue('FieldValueTooLong', field, bytesMax < 0 ? 'value is too long' : most);
}

export function tooMany(field: string, count: number, countMax: number): FieldError {
  const most = `must have at most ${countMax} item${countMax === 1 ? '' : 's'}`;
  return withValue('FieldValueTooMany', field, count, countMax < 0 ? 'has too many items' : most);
}

/** A failure of the check itself. */
export function internalFieldError(field: string, detail: string): FieldError {
  return withoutValue('InternalError', field, detail);
}

/** `FIELD: BODY`. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${error.body}`;
}

/** Several findings as one text: equal ones once, one alone without brackets (upstream `ErrorList.ToAggregate`). */
export function aggregateText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}
