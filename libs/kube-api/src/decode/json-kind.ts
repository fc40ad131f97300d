import type { Json } from '#libs/kernel';
import { WrittenNumber } from './json-reader';

/** What Go's decoder of JSON calls a value that does not fit: `json: cannot unmarshal array into …`. */
export function kindOfJson(value: Json): string {
  if (value instanceof WrittenNumber) return 'number';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
