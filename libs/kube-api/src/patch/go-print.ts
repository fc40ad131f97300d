import type { Json } from '#libs/kernel';

/** A value as Go's `%v` prints it: `map[a:1 b:[x y]]`, `<nil>`. Error texts of patches quote values so. */
export function goPrint(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goPrint(value[key])}`);
  return `map[${entries.join(' ')}]`;
}

/** Go's name of the type that JSON decodes to. */
export function goTypeName(value: Json | undefined): string {
  if (value === undefined || value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** A value as Go's `%s` prints it: what is no text says what it is instead. */
export function goPrintText(value: Json | undefined): string {
  if (value === undefined || value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return `[${value.map(goPrintText).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return `%!s(${goTypeName(value)}=${goPrint(value)})`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goPrintText(value[key])}`);
  return `map[${entries.join(' ')}]`;
}
