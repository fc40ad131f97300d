import { compiledRegex, EvaluationError, formatDouble } from '#libs/cel';
import { int64Digits } from '#libs/kernel';
import { isKnownFormat, isOfFormat } from './formats';
import { Outcome, plain, should, textTooLong, wrongType, type Finding } from './findings';
import type { Schema } from './schema';

/** How values are read: those of objects, or defaults in a definition, whose formats are all looked at and whose `int-or-string` has no type. */
export interface Reading {
  readonly ofDefault?: boolean;
}

/** The names of types that a schema allows. */
export function typesOf(schema: Schema, { ofDefault }: Reading): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] && !ofDefault) return ['integer', 'string'];
  return schema.type ? [schema.type] : [];
}

export function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // What no int64 holds is read as a number with a point.
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) <= 2 ** 63 ? 'integer' : 'number';
  return typeof value;
}

/** What Go calls the format of a value that has not been told one. */
const formatOfValue: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

export function checkType(schema: Schema, value: unknown, name: string, reading: Reading): Finding | undefined {
  const types = typesOf(schema, reading);
  const given = typeOfValue(value);
  if (value === null)
    return types.length > 0 && !types.includes('null') && !schema.nullable ? wrongType(name, types.join(','), 'null') : undefined;
  const format = formatRead(schema, reading);
  if (types.length === 0 && format === undefined) return undefined;
  const fits = types.includes(given) || (given === 'integer' && types.includes('number'));
  const isTextOrList = given === 'string' || given === 'array';
  if (!isTextOrList && format !== undefined && !fits) return wrongType(name, format, formatOfValue[given] ?? '');
  const isNumeric = types.includes('number') || types.includes('integer');
  // Whoever has a format is not looked at for its type here.
  if (!isNumeric && format !== undefined && isTextOrList) return undefined;
  return fits ? undefined : wrongType(name, types.join(','), given);
}

/** Only the first thing that is wrong with a text is told. */
export function checkText({ maxLength, minLength, pattern }: Schema, text: string, name: string): Finding | undefined {
  const length = maxLength === undefined && minLength === undefined ? 0 : [...text].length;
  if (maxLength !== undefined && length > maxLength) return textTooLong(name, maxLength);
  if (minLength !== undefined && length < minLength) return should(name, `should be at least ${minLength} chars long`, text);
  if (!pattern) return undefined;
  try {
    return compiledRegex(pattern).matcher(text).find() ? undefined : should(name, `should match '${pattern}'`, text);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return should(name, `should match '${pattern}, but pattern is invalid: ${error.message}'`, text);
  }
}

/** The format that a value is held to. */
export function formatRead({ format }: Schema, { ofDefault }: Reading): string | undefined {
  return format && (ofDefault || isKnownFormat(format)) ? format : undefined;
}

export function checkFormat(schema: Schema, text: string, name: string, reading: Reading): Finding | undefined {
  const format = formatRead(schema, reading);
  return format === undefined || isOfFormat(format, text) ? undefined : wrongType(name, format, text);
}

const int64Min = -(2 ** 63);

/** As Go's conversion has it where a number does not fit into 64 bits. */
const wholeBound = (given: number): number => (given >= int64Min && given < -int64Min ? Math.trunc(given) : int64Min);

/** A whole number is measured by whole bounds: their fractions are cut off. */
export function checkNumber(schema: Schema, value: number, name: string): Outcome {
  const outcome = new Outcome();
  const bound = (given: number): number => (Number.isInteger(value) ? wholeBound(given) : given);
  const shown = (number: number): string => (Number.isInteger(value) ? int64Digits(number) : formatDouble(number));
  const { multipleOf, maximum, minimum } = schema;
  if (multipleOf !== undefined) {
    const factor = bound(multipleOf);
    if (factor <= 0) outcome.add(plain(name, `factor MultipleOf declared for ${name} must be positive: ${shown(factor)}`, factor));
    else if (!isMultiple(value, factor)) outcome.add(should(name, `should be a multiple of ${shown(factor)}`, value));
  }
  if (minimum !== undefined) {
    const least = bound(minimum);
    const { exclusiveMinimum } = schema;
    if (exclusiveMinimum ? value <= least : value < least)
      outcome.add(should(name, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${shown(least)}`, value));
  }
  if (maximum !== undefined) {
    const most = bound(maximum);
    const { exclusiveMaximum } = schema;
    if (exclusiveMaximum ? value >= most : value > most)
      outcome.add(should(name, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${shown(most)}`, value));
  }
  outcome.passed++;
  return outcome;
}

function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value)) return value % factor === 0;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return isNearlyWhole(times);
}

/** As Go's helper has it: within what a few roundings make of a whole number. */
function isNearlyWhole(number: number): boolean {
  if (!Number.isFinite(number) || Math.abs(number) > Number.MAX_SAFE_INTEGER) return false;
  const rounded = Math.trunc(number);
  if (number === rounded) return true;
  // What is near zero is not zero.
  return rounded !== 0 && Math.abs(number - rounded) / Math.abs(number + rounded) < 1e-9;
}
