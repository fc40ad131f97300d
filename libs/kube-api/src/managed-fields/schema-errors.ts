import { int64Digits, int64Min, type Json, type JsonObject } from '#libs/kernel';
import { goPrint, goTypeName } from '../patch/go-print';
import { elementOf, placeOf } from './list-elements';
import { fieldElement, showElement, type PathElement } from './path-element';
import { fieldType, resolved, type ListType, type MapType, type ScalarType, type StructType, type ValueType } from './value-type';
import { goQuote } from '../status';

interface SchemaError {
  readonly path: string;
  readonly text: string;
}

/** What keeps a value from being one of the type, as upstream puts it in one text; undefined: nothing does. */
export function schemaErrors(type: ValueType, value: Json): string | undefined {
  const errors = errorsOf(type, value);
  if (errors.length === 0) return undefined;
  const texts = errors.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`));
  return texts.length === 1 ? texts[0] : `errors:\n${texts.map((text) => `  ${text}`).join('\n')}`;
}

const error = (text: string, path = ''): SchemaError => ({ path, text });
const inside = (element: PathElement, errors: readonly SchemaError[]): SchemaError[] =>
  errors.map(({ path, text }) => ({ path: showElement(element) + path, text }));

function errorsOf(type: ValueType, value: Json): SchemaError[] {
  const known = resolved(type, value);
  if (value === null) return [];
  switch (known.is) {
    case 'scalar':
      return scalarErrors(known, value);
    case 'list':
      return Array.isArray(value) ? listErrors(known, value) : [error(`expected list, got ${goValue(value)}`)];
    default:
      return typeof value === 'object' && !Array.isArray(value) ? mapErrors(known, value) : [error(`expected map, got ${goValue(value)}`)];
  }
}

/** Go prints the value's holder. */
const goValue = (value: Json): string => `&{${isInt64(value) ? int64Digits(value) : goPrint(value)}}`;

function isInt64(value: Json): value is number {
  return Number.isInteger(value) && (value as number) >= int64Min && (value as number) <= -int64Min;
}

function scalarErrors({ scalar }: ScalarType, value: Json): SchemaError[] {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? [] : [error(`expected numeric (int or float), got ${goTypeName(value)}`)];
    case 'string':
      return typeof value === 'string' ? [] : [error(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [error(`expected boolean, got ${goValue(value)}`)];
    case 'any':
      return typeof value === 'object' ? [error(`expected any scalar, got ${goValue(value)}`)] : [];
  }
}

/** As Go's `%#v` writes it. */
function goSyntax(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${goQuote(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${entries.join(', ')}}`;
}

function listErrors(type: ListType, list: readonly Json[]): SchemaError[] {
  const errors: SchemaError[] = [];
  const seen = new Set<PathElement>();
  for (const [index, item] of list.entries()) {
    let element: PathElement = `i:${index}`;
    if (type.list !== 'atomic') {
      const place = placeOf(type, item);
      // Nothing more can be said of a list whose elements cannot be told apart.
      if ('error' in place) return [...errors, error(`element ${index}: ${place.error}`)];
      element = elementOf(type, item);
      if (seen.has(element)) errors.push(error(`duplicate entries for key ${showElement(element)}`));
      seen.add(element);
    }
    errors.push(...inside(element, errorsOf(type.element, item)));
  }
  return errors;
}

function mapErrors(type: StructType | MapType, map: JsonObject): SchemaError[] {
  const given = Object.entries(map).filter(([, value]) => value !== undefined);
  // Nothing more is said of a map with a field that nobody knows.
  const unknown = given.find(([name]) => !fieldType(type, name));
  if (unknown) return inside(fieldElement(unknown[0]), [error('field not declared in schema')]);
  return given.flatMap(([name, value]) => inside(fieldElement(name), errorsOf(fieldType(type, name) as ValueType, value as Json)));
}
