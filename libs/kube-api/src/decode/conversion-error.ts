import type { Json } from '#libs/kernel';
import type { TypeRef } from '../schema';
import { kindOfJson } from './json-kind';

const scalarKinds: Record<string, string> = { string: 'string', bool: 'bool', int32: 'int32', int64: 'int64', double: 'float64' };

function goKind(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** What upstream says when a value that is already parsed does not fit a field (`runtime.DefaultUnstructuredConverter`). */
export function conversionError(ref: TypeRef, value: Json, goType: string): string {
  if (ref.type === 'list') return `cannot restore slice from ${goKind(value)}`;
  if (ref.type === 'map') return `cannot restore map from ${goKind(value)}`;
  if (ref.type === 'struct') return `cannot restore struct from: ${goKind(value)}`;
  if (ref.scalar === 'bytes') return `cannot restore slice from ${goKind(value)}`;
  const kind = scalarKinds[ref.scalar];
  if (!kind) return `json: cannot unmarshal ${kindOfJson(value)} into Go value of type ${goType}`;
  // Go converts between numbers, and integers to text; what it could convert but JSON could not has the other wording.
  const numeric = typeof value === 'number';
  const convertible = numeric && kind !== 'bool' && !(kind === 'string' && !Number.isInteger(value));
  return convertible ? `cannot convert ${goKind(value)} to ${goType}` : `unrecognized type: ${kind}`;
}
