import type { Json } from '#libs/kernel';
import { numberText } from '../status';

/** A value as Go's `%v` prints it: `map[a:1 b:[x y]]`, `<nil>`. Error texts of patches quote values so. */
export function goPrint(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'number') return Math.abs(value) < 2 ** 63 && Number.isInteger(value) ? numberText(value) : goFloat(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goPrint(value[key])}`);
  return `map[${entries.join(' ')}]`;
}

/** Powers of ten from which on a float is printed with an exponent. */
const plainBelow = 6;

/** As Go's `%v` prints a float: with an exponent of at least two digits where the number is large or small. */
function goFloat(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < plainBelow) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Go's name of the type that JSON decodes to, as `%T` prints it. */
export function goTypeOfJson(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** The same as `%s` prints the type, where nothing has none. */
export function goTypeName(value: Json | undefined): string {
  return value === undefined || value === null ? '%!s(<nil>)' : goTypeOfJson(value);
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
