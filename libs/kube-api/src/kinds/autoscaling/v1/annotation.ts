import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { convert, parseJson, plainNumbers } from '../../../decode';
import type { Definition, TypeRef } from '../../../schema';
import { goJson } from '../../../status/go-value';
import { v1Definitions } from './definitions';

/** A list or a struct as the text of an annotation. */

/** What an annotation says, in the wire form of its type; undefined where it cannot be read, and is then passed over. */
export function readAnnotation(type: string, text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const of = v1Definitions.get(type);
  const parsed = parseJson(text);
  if (parsed.error !== undefined) return undefined;
  const value = plainNumbers(parsed.value);
  const holder = isList(of) ? { items: value } : value;
  if (!isObject(holder)) return value === null ? {} : undefined;
  const conversion = convert(of, namedAs(of, holder));
  return conversion.error === undefined ? conversion.object : undefined;
}

/** The text that says it. */
export function writeAnnotation(type: string, value: JsonObject): string {
  const of = v1Definitions.get(type);
  const written = convert(of, value).object;
  return goJson(isList(of) ? written['items'] : written);
}

const isList = ({ fields }: Definition): boolean => fields.length === 1 && fields[0]?.name === 'items';

/** Go finds a field by its name in any case of letters, where none has exactly that name. */
function namedAs(of: Definition, object: JsonObject): JsonObject {
  const named: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const field = of.byName.get(key) ?? of.fields.find(({ name }) => name.toLowerCase() === key.toLowerCase());
    if (field && value !== undefined) named[field.name] = valueNamedAs(field.ref, value);
  }
  return named;
}

function valueNamedAs(ref: TypeRef, value: Json): Json {
  if (ref.type === 'struct') return isObject(value) ? namedAs(ref.of, value) : value;
  return ref.type === 'list' && Array.isArray(value) ? value.map((item) => valueNamedAs(ref.item, item)) : value;
}
