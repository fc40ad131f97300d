import { duplicate, invalidValue, required, tooMany, type FieldError } from '../../status/field-error';
import { goJson } from '../../status/go-value';
import { byteLength } from '../../validation/formats';
import { isSet, type Errors } from '../../validation/values';
import { findPath } from './field-paths';
import type { GivenSchema } from './given-schema';
import { structuralProblem } from './structural-form';
import type { DefinitionVersion, PrinterColumn, Subresources } from './types';

/** Of a field that is a pointer the text is quoted as JSON has it. */
function invalidPointer(field: string, value: string, text: string): FieldError {
  return { type: 'FieldValueInvalid', field, body: `Invalid value: ${goJson(value)}: ${text}` };
}

const warningBytesMax = 256;
const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;

export function validateDeprecation({ deprecated, deprecationWarning: warning }: DefinitionVersion, field: string, errors: Errors): void {
  if (!isSet(warning)) return;
  const refuse = (text: string): unknown => errors.push(invalidPointer(`${field}.deprecationWarning`, warning as string, text));
  if (!deprecated) {
    refuse('can only be set for deprecated versions');
    return;
  }
  const text = warning as string;
  if (byteLength(text) > warningBytesMax) refuse(`must be <= ${warningBytesMax} characters long`);
  if (text === '') refuse('must not be an empty string');
  const found = unprintable.exec(text);
  if (found) {
    const place = byteLength(text.slice(0, found.index));
    refuse(`must only contain printable UTF-8 characters; non-printable character found at index ${place}`);
  }
}

export function validateSubresources({ scale }: Subresources, field: string, errors: Errors): void {
  if (!isSet(scale)) return;
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath } = scale as NonNullable<Subresources['scale']>;
  const at = `${field}.scale`;
  validatePathUnder(specReplicasPath, ['.spec.'], `${at}.specReplicasPath`, 'should be a json path under .spec', errors);
  validatePathUnder(statusReplicasPath, ['.status.'], `${at}.statusReplicasPath`, 'should be a json path under .status', errors);
  if (!labelSelectorPath) return;
  const text = 'should be a json path under either .spec or .status';
  validatePathUnder(labelSelectorPath, ['.spec.', '.status.'], `${at}.labelSelectorPath`, text, errors);
}

function validatePathUnder(path: string, prefixes: readonly string[], field: string, text: string, errors: Errors): void {
  if (path === '') errors.push(required(field));
  else if (!path.startsWith('.')) errors.push(invalidValue(field, path, 'must be a simple json path starting with .'));
  else if (!prefixes.some((prefix) => path.startsWith(prefix))) errors.push(invalidValue(field, path, text));
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function validateColumn({ name = '', type = '', format = '', jsonPath = '' }: PrinterColumn, field: string, errors: Errors): void {
  if (name === '') errors.push(required(`${field}.name`));
  const ofTypes = `must be one of ${columnTypes.join(',')}`;
  if (type === '') errors.push(required(`${field}.type`, ofTypes));
  else if (!columnTypes.includes(type)) errors.push(invalidValue(`${field}.type`, type, ofTypes));
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalidValue(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`));
  }
  if (jsonPath === '') errors.push(required(`${field}.JSONPath`));
  else if (!jsonPath.startsWith('.')) {
    errors.push(invalidValue(`${field}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
  }
}

const selectableMax = 8;
const selectableTypes = ['string', 'boolean', 'integer'];

type SelectableFields = readonly { readonly jsonPath: string }[];

/** Fields that objects may be selected by are told by their schema, and are simple values. */
export function validateSelectableFields(fields: SelectableFields, schema: GivenSchema, field: string, errors: Errors): void {
  const seen = new Set<string>();
  for (const [index, { jsonPath = '' }] of fields.entries()) {
    const at = `${field}[${index}].jsonPath`;
    if (jsonPath === '') {
      errors.push(required(at));
      continue;
    }
    const found = findPath(jsonPath, schema, { allowsArrays: false });
    if ('problem' in found) {
      errors.push(invalidValue(at, jsonPath, `is an invalid path: ${found.problem}`));
      continue;
    }
    if (found.root === 'metadata') errors.push(invalidValue(at, jsonPath, 'must not point to fields in metadata'));
    if (!selectableTypes.includes(found.schema.type ?? '')) {
      const text = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalidValue(at, jsonPath, text));
    }
    if (seen.has(found.path)) errors.push(duplicate(at, jsonPath));
    seen.add(found.path);
  }
  if (seen.size > selectableMax) errors.push(tooMany(field, seen.size, selectableMax));
}

/** As far as their schema can be read. @param schemaField where it stands */
export function validateSelection(fields: SelectableFields, schema: GivenSchema, at: string, schemaField: string, errors: Errors): void {
  const problem = structuralProblem(schema);
  if (problem !== undefined) errors.push(invalidValue(schemaField, '', problem));
  validateSelectableFields(fields, problem === undefined ? schema : {}, at, errors);
}
