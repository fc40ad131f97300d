import type { Json, JsonObject } from '#libs/kernel';
import { nearestInt64 } from '#libs/kernel';
import { goTypeOf } from '../schema';
import { goQuote } from '../status';
import type { Definition, Field, TypeRef } from '../schema';
import { plainNumbers } from './go-json';
import { kindOfJson } from './json-kind';
import { setOwn, WrittenNumber } from './json-reader';
import { chooseOf, isUnion, sortedJson, UnionError } from './schema-unions';
import { readBytes, readMicroTime, readQuantity, readTime, ScalarError } from './scalars';
import { conversionError } from './conversion-error';
import { readOver, type RepeatedKeys } from './repeated-keys';
import { zeroOf } from './zero';

/**
 * Reads a JSON value as a struct of the API, as Go's decoder would, and writes it back as Go's encoder would: fields in the
 * struct's order, maps sorted by key, what is zero left out unless the type writes it always, null as absent, quantities, times
 * and base64 in canonical form. Unknown fields are dropped and reported.
 */
export interface Conversion {
  readonly object: JsonObject;
  /** `unknown field "spec.foo"`, `duplicate field "data.a"`, in the order of the document; at most 100. */
  readonly strict: readonly string[];
  /** What Go's decoder would have returned: the first value of a wrong type. */
  readonly error?: string;
  /** As Go holds the value before it writes it, where that says more: empty lists and maps are there, times have their fractions. */
  readonly exact?: JsonObject;
}

/** Upstream keeps no more. */
const strictErrorsMax = 100;

/** Where the conversion is: fields by name, list items by index, map keys in an object (Go's errors leave these two out). */
type Step = string | number | { readonly key: string };

/** Whose error texts: those of Go's JSON decoder, or those of the converter that upstream puts behind strategic merges. */
export type ErrorStyle = 'json' | 'unstructured';

/**
 * @param duplicates keys that the text has more than once, by the object they are in
 * @param style whose words errors are told in
 */
export function convert(of: Definition, value: JsonObject, duplicates?: RepeatedKeys, style: ErrorStyle = 'json'): Conversion {
  const converter = new Converter(duplicates, style);
  const object = converter.struct(of, value);
  const { strict } = converter;
  const error = converter.fatal ?? converter.error;
  return converter.leftOut && error === undefined
    ? { object, strict, exact: convertExactly(of, value, duplicates, style) }
    : { object, strict, error };
}

/** As Go holds the value before it writes it. */
export function convertExactly(of: Definition, value: JsonObject, duplicates?: RepeatedKeys, style: ErrorStyle = 'json'): JsonObject {
  return new Converter(duplicates, style, true).struct(of, value);
}

/** A value of a wrong type, as texts name both. */
interface Mismatch {
  readonly given: string;
  readonly goType: string;
}

type ScalarRef = Extract<TypeRef, { type: 'scalar' }>;

const floatPattern = /[.eE]/;

class Converter {
  readonly strict: string[] = [];
  error: string | undefined;
  /** What a type that reads itself does not take: nothing behind it is read, and it counts more than what was found before. */
  fatal: string | undefined;
  /** What is told of: by `fatal`, else by `error`. */
  mismatched: Mismatch | undefined;
  /** Something was left out that Go would still have before it writes. */
  leftOut = false;
  private readonly path: Step[] = [];
  /** Type of the struct that holds the value at hand. */
  private holder = '';

  constructor(
    private readonly duplicates: RepeatedKeys | undefined,
    private readonly style: ErrorStyle,
    private readonly exact = false,
  ) {}

  struct(of: Definition, value: JsonObject): JsonObject {
    const outer = this.holder;
    this.holder = of.goName;
    const read: (Json | undefined)[] = new Array(of.fields.length) as (Json | undefined)[];
    for (const key of Object.keys(value)) {
      const field = of.byName.get(key);
      if (!field) {
        this.report('unknown', key);
        continue;
      }
      const given = this.whole(value, key, field);
      if (given === null || given === undefined) continue;
      this.path.push(key);
      read[field.index] = this.value(field.ref, given, field.goType);
      this.path.pop();
    }
    for (const key of this.duplicates?.get(value)?.keys() ?? []) this.report('duplicate', key);
    this.holder = outer;
    return this.written(of, read);
  }

  /** The value of a field, and of all that the text gave for it before: what is wrong with those is found first. */
  private whole(holder: JsonObject, key: string, field: Field): Json | undefined {
    const last = holder[key];
    const before = this.duplicates?.get(holder)?.get(key);
    if (!before || last === undefined) return last;
    let whole: Json | undefined;
    for (const value of before) {
      this.path.push(key);
      if (value !== null) this.value(field.ref, value, field.goType);
      this.path.pop();
      whole = readOver(field, whole, value);
    }
    return readOver(field, whole, last);
  }

  private value(ref: TypeRef, value: Json, goType: string): Json | undefined {
    if (ref.type === 'scalar') return this.scalar(ref, value, goType);
    if (ref.type === 'list') {
      if (!Array.isArray(value)) return this.mismatch(ref, value, goType);
      return this.list(ref.item, value, goType);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof WrittenNumber) {
      return this.mismatch(ref, value, goType);
    }
    return ref.type === 'map' ? this.map(ref.value, value) : this.struct(ref.of, value);
  }

  private list(item: TypeRef, values: readonly Json[], goType: string): Json[] {
    const out: Json[] = new Array(values.length) as Json[];
    const itemType = goType.startsWith('[]') ? goType.slice(2) : goTypeOf(item);
    for (let i = 0; i < values.length; i++) {
      this.path.push(i);
      const value = values[i] as Json;
      out[i] = value === null ? zeroOf(item) : (this.value(item, value, itemType) ?? zeroOf(item));
      this.path.pop();
    }
    return out;
  }

  private map(ref: TypeRef, values: JsonObject): JsonObject {
    const out: JsonObject = {};
    const keys = Object.keys(values);
    const valueType = goTypeOf(ref);
    // Read in the order of the document, whose first error is told; written sorted.
    const read = new Map<string, Json>();
    for (const key of keys) {
      const value = values[key] as Json;
      this.path.push({ key });
      read.set(key, value === null ? (isBytes(ref) ? '' : zeroOf(ref)) : (this.value(ref, value, valueType) ?? zeroOf(ref)));
      this.path.pop();
    }
    if (keys.length > 1) keys.sort();
    for (const key of keys) setOwn(out, key, read.get(key));
    for (const key of this.duplicates?.get(values)?.keys() ?? []) this.report('duplicate', key);
    return out;
  }

  private scalar(ref: ScalarRef, value: Json, goType: string): Json | undefined {
    try {
      switch (ref.scalar) {
        case 'string':
          return typeof value === 'string' ? value : this.mismatch(ref, value, goType);
        case 'bool':
          return typeof value === 'boolean' ? value : this.mismatch(ref, value, goType);
        case 'int32':
        case 'int64':
          return this.integer(ref, value, goType);
        case 'double':
          return typeof value === 'number' || value instanceof WrittenNumber ? plainNumbers(value) : this.mismatch(ref, value, goType);
        case 'bytes':
          if (typeof value === 'string') return readBytes(value);
          return isListOfBytes(value) ? Buffer.from(value).toString('base64') : this.mismatch(ref, value, goType);
        case 'time':
          return typeof value === 'string' ? this.time(value) : this.mismatch(ref, value, 'string');
        case 'microTime':
          return typeof value === 'string' ? readMicroTime(value) : this.mismatch(ref, value, 'string');
        case 'quantity':
          return readQuantity(typeof value === 'string' ? value : value instanceof WrittenNumber ? value.text : JSON.stringify(value));
        case 'intOrString':
          return typeof value === 'string' ? value : this.integer(ref, value, 'int32');
        default:
          return this.free(value, goType);
      }
    } catch (error) {
      if (!(error instanceof ScalarError || error instanceof UnionError)) throw error;
      if (this.style === 'json' && ref.scalar !== 'bytes') this.fatal ??= error.message;
      else
        this.error ??=
          this.style === 'unstructured' && ref.scalar === 'bytes' ? `error decoding from json: ${error.message}` : error.message;
      return undefined;
    }
  }

  /** A value about which its field says nothing, or that is one of several things. */
  private free(value: Json, goType: string): Json | undefined {
    if (goType === 'v1.JSON') return sortedJson(plainNumbers(value));
    if (!isUnion(goType)) return plainNumbers(value);
    const choice = chooseOf(goType, value);
    return 'ref' in choice ? this.apart(choice.ref, value) : choice.value;
  }

  /** Read by a decoder that knows nothing of what is around: it says nothing of unknown fields, and an error in there is one of the whole. */
  private apart(ref: TypeRef, value: Json): Json | undefined {
    const inner = new Converter(undefined, this.style, this.exact);
    const read = inner.value(ref, value, goTypeOf(ref));
    this.leftOut ||= inner.leftOut;
    if (inner.mismatched) this.mismatchInside(inner.mismatched);
    else if (inner.fatal !== undefined) throw new ScalarError(inner.fatal);
    else this.error ??= inner.error;
    return read;
  }

  private mismatchInside({ given, goType }: Mismatch): void {
    if (this.fatal !== undefined) return;
    this.mismatched = { given, goType };
    this.fatal = this.mismatchText(given, goType);
  }

  private time(text: string): string | null {
    const read = readTime(text);
    const fraction = /[.,](\d*[1-9])/.exec(text)?.[1];
    if (read === null || fraction === undefined) return read;
    this.leftOut = true;
    return this.exact ? read.replace('Z', `.${fraction}Z`) : read;
  }

  private integer(ref: ScalarRef, value: Json, goType: string): Json | undefined {
    const wide = ref.scalar === 'int64';
    if (value instanceof WrittenNumber) {
      const whole = floatPattern.test(value.text) ? undefined : BigInt(value.text);
      if (whole === undefined || BigInt.asIntN(wide ? 64 : 32, whole) !== whole)
        return this.mismatch(ref, value, goType, `number ${value.text}`);
      return nearestInt64(Number(whole));
    }
    if (typeof value !== 'number') return this.mismatch(ref, value, goType);
    if (this.style === 'unstructured' && ref.scalar !== 'intOrString' && Number.isInteger(value)) return wrapped(value, wide);
    const fits = wide ? Number.isInteger(value) && Math.abs(value) < 2 ** 63 : (value | 0) === value;
    return fits ? value : this.mismatch(ref, value, goType, `number ${value}`);
  }

  /** `json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32` */
  private mismatch(ref: TypeRef, value: Json, goType: string, given = kindOfJson(value)): undefined {
    if (this.error !== undefined) return undefined;
    if (this.style === 'unstructured') this.error = conversionError(ref, value, goType);
    else {
      if (this.fatal === undefined) this.mismatched = { given, goType };
      this.error = this.mismatchText(given, goType);
    }
    return undefined;
  }

  private mismatchText(given: string, goType: string): string {
    const fields = this.path.filter((step) => typeof step === 'string').join('.');
    return `json: cannot unmarshal ${given} into Go struct field ${this.holder}.${fields} of type ${goType}`;
  }

  private written(of: Definition, read: readonly (Json | undefined)[]): JsonObject {
    const object: JsonObject = {};
    for (const field of of.fields) {
      const value = read[field.index];
      if (value === undefined) {
        if (field.always && !field.pointer) object[field.name] = zeroOf(field.ref);
        else if (field.always) object[field.name] = null;
      } else if (field.pointer || field.always || !isEmpty(field, value) || keepsEmpty(of, field)) object[field.name] = value;
      else if (typeof value === 'object' && value !== null) {
        this.leftOut = true;
        if (this.exact) object[field.name] = value;
      }
    }
    return object;
  }

  private report(what: 'unknown' | 'duplicate', key: string): void {
    if (this.strict.length >= strictErrorsMax) return;
    let path = '';
    for (const step of [...this.path, key]) {
      if (typeof step === 'number') path += `[${step}]`;
      else if (typeof step === 'string' || this.style === 'json')
        path += `${path === '' ? '' : '.'}${typeof step === 'string' ? step : step.key}`;
    }
    const text = `${what} field ${goQuote(path)}`;
    if (!this.strict.includes(text)) this.strict.push(text);
  }
}

/** What this converter makes of an integer that is too large: what is left of its bits. */
function wrapped(value: number, wide: boolean): number {
  return wide ? nearestInt64(value) : Number(BigInt.asIntN(32, BigInt(value)));
}

/** Bytes one by one, which Go takes as well. */
function isListOfBytes(value: Json): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number' && Number.isInteger(item) && item >= 0 && item <= 255);
}

function isBytes(ref: TypeRef): boolean {
  return ref.type === 'scalar' && ref.scalar === 'bytes';
}

/**
 * Whether the store keeps empty bytes apart from none. It does so of all bytes; here where upstream looks at it: webhooks are compared value by
 * value. No answer shows the difference (`KindDescription.shown`).
 */
function keepsEmpty({ name }: Definition, { ref }: Field): boolean {
  return isBytes(ref) && name === 'admissionregistration.v1.WebhookClientConfig';
}

/** What Go's `omitempty` leaves out of a field that is no pointer. */
function isEmpty(field: Field, value: Json): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  // An empty list of owners sends those away that there are: it is not as none.
  if (field.ref.type === 'list') return (value as Json[]).length === 0 && field.name !== 'managedFields';
  if (field.ref.type !== 'map') return false;
  for (const _ in value as JsonObject) return false;
  return true;
}
