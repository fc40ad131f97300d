import { isEqual } from '../values/compare';
import { EvaluationError, keyText, ListValue, MapValue, Uint, type Value } from '../values/value';
import { escapeName, unescapeName } from './names';
import { readText } from './texts';
import { valuesOf, withObjectMeta, type Schema } from './schema';

type Json = Readonly<Record<string, unknown>>;

/** A JSON value as expressions see it by its schema. @throws EvaluationError for what does not fit the schema */
export function valueOf(json: unknown, schema: Schema): Value {
  if (json === null || json === undefined) {
    if (schema.nullable) return null;
    throw new EvaluationError('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string']) return intOrString(json);
  switch (schema.type) {
    case 'object':
      return new JsonObject(
        expect(json, isObject, 'a map for the provided schema with type=object'),
        schema['x-kubernetes-embedded-resource'] ? withObjectMeta(schema) : schema,
      );
    case 'array':
      return listOf(expect(json, Array.isArray, 'an array for the provided schema with type=array') as unknown[], schema);
    case 'string':
      return readText(
        expect(json, (value): value is string => typeof value === 'string', 'string'),
        schema.format,
      );
    case 'number':
      return expect(json, (value): value is number => typeof value === 'number', 'float');
    case 'integer':
      return wholeOf(expect(json, (value): value is number => Number.isInteger(value), 'int'));
    case 'boolean':
      return expect(json, (value): value is boolean => typeof value === 'boolean', 'bool');
    default:
      return anyValue(json);
  }
}

/** A JSON value without a schema. */
export function anyValue(json: unknown): Value {
  if (Array.isArray(json)) return new JsonList(json, anyValue);
  if (isObject(json)) return new FreeObject(json);
  if (typeof json === 'number') return Number.isInteger(json) ? wholeOf(json) : json;
  return json as string | boolean | null;
}

function expect<T>(json: unknown, test: (json: unknown) => json is T, expected: string): T {
  if (test(json)) return json;
  throw new EvaluationError(`invalid data, expected ${expected}`);
}

function isObject(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** JSON rounds the greatest integers up to 2⁶³, which is none of 64 bits. */
function wholeOf(number: number): bigint {
  return number >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(number);
}

function intOrString(json: unknown): Value {
  if (typeof json === 'string') return json;
  if (Number.isInteger(json)) return wholeOf(json as number);
  throw new EvaluationError('invalid data, expected XIntOrString value to be either a string or integer');
}

/** By its properties, or by one schema for all its values; what has no schema is not seen. */
class JsonObject extends MapValue {
  private readonly properties: Readonly<Record<string, Schema>> | undefined;
  private readonly values: Schema | undefined;

  constructor(
    private readonly json: Json,
    schema: Schema,
  ) {
    super();
    this.properties = schema.properties;
    this.values = schema.properties ? undefined : valuesOf(schema);
  }
  get size(): number {
    return Object.keys(this.json).length;
  }
  *keys(): Generator<string> {
    for (const key of Object.keys(this.json)) {
      if (this.values) yield key;
      else if (this.schemaOf(key)) yield escapeName(key) ?? key;
    }
  }
  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const name = this.properties ? unescapeName(key) : key;
    const schema = name === undefined ? undefined : this.schemaOf(name);
    if (name === undefined || !schema || !Object.hasOwn(this.json, name)) return undefined;
    const json = this.json[name];
    // Of objects with named properties null is as good as absent.
    return this.properties && json === null ? undefined : valueOf(json, schema);
  }
  private schemaOf(name: string): Schema | undefined {
    if (this.values) return this.values;
    return this.properties && Object.hasOwn(this.properties, name) ? this.properties[name] : undefined;
  }
}

class FreeObject extends MapValue {
  constructor(private readonly json: Json) {
    super();
  }
  get size(): number {
    return Object.keys(this.json).length;
  }
  keys(): Iterable<string> {
    return Object.keys(this.json);
  }
  find(key: Value): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.json, key) ? anyValue(this.json[key]) : undefined;
  }
}

class JsonList extends ListValue {
  private readonly read: (Value | undefined)[];
  constructor(
    private readonly json: readonly unknown[],
    private readonly readItem: (json: unknown) => Value,
  ) {
    super();
    this.read = Array.from({ length: json.length });
  }
  get size(): number {
    return this.json.length;
  }
  at(index: number): Value {
    return (this.read[index] ??= this.readItem(this.json[index]));
  }
}

function listOf(json: readonly unknown[], schema: Schema): ListValue {
  const { items } = schema;
  if (!items) throw new EvaluationError('invalid array type, expected Items with a non-empty Schema');
  const list = new JsonList(json, (item) => valueOf(item, items));
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return new KeyedList([...list], setKey, false);
    case 'map': {
      const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key);
      return new KeyedList([...list], (item) => mapKey(item, keys), true);
    }
    default:
      return list;
  }
}

/** A list whose elements have keys: equal in any order, and `+` merges. */
class KeyedList extends ListValue {
  constructor(
    private readonly items: readonly Value[],
    private readonly keyOf: (item: Value) => string,
    /** With the same key the later one counts. */
    private readonly replaces: boolean,
  ) {
    super();
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return this.items[index] as Value;
  }
  override equals(other: ListValue): boolean {
    if (this.size !== other.size) return false;
    const own = new Map(this.items.map((item) => [this.keyOf(item), item]));
    return [...other].every((item) => {
      const mine = own.get(this.keyOf(item));
      return mine !== undefined && (!this.replaces || isEqual(mine, item));
    });
  }
  override plus(other: ListValue): ListValue {
    const items = [...this.items];
    const places = new Map(items.map((item, index) => [this.keyOf(item), index]));
    for (const item of other) {
      const place = places.get(this.keyOf(item));
      if (place === undefined) {
        places.set(this.keyOf(item), items.length);
        items.push(item);
      } else if (this.replaces) items[place] = item;
    }
    return new KeyedList(items, this.keyOf, this.replaces);
  }
}

function isScalar(value: Value): boolean {
  return typeof value !== 'object' || value instanceof Uint;
}

function setKey(item: Value): string {
  return isScalar(item) ? keyText(item) : JSON.stringify(plain(item));
}

function mapKey(item: Value, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => plain(item instanceof MapValue ? item.find(key) : undefined)));
}

function plain(value: Value | undefined): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof ListValue) return Array.from(value, plain);
  if (value instanceof MapValue) return Object.fromEntries(Array.from(value.keys(), (key) => [keyText(key), plain(value.find(key))]));
  return isScalar(value) ? keyText(value) : null;
}
