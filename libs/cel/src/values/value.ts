import {
  anyList, anyMap, anyOptional, boolType, bytesType, doubleType, durationType, intType, nullType, stringType, timestampType, Type, typeType,
  uintType,
} from '../types/type'; // prettier-ignore

/**
 * Values of the language: int is bigint, double is number, bytes are a Uint8Array; the rest as in JSON or as one of the classes here.
 * A type is a value too.
 */
export type Value =
  | null | boolean | bigint | number | string | Uint8Array | Uint | Duration | Timestamp | Type | Optional | ListValue | MapValue
  | ExtensionValue; // prettier-ignore

/** An expression that fails while it is evaluated. */
export class EvaluationError extends Error {
  /** Ends the evaluation, whatever stands beside it: `true || …` does not pass over it. */
  readonly isFinal: boolean = false;
}

/** What the language calls a call for which nothing is declared, of values whose types nobody knew before. */
export const noSuchOverload = (): EvaluationError => new EvaluationError('no such overload');

export class Uint {
  constructor(readonly value: bigint) {}
}

export class Duration {
  constructor(readonly nanos: bigint) {}
}

/** A moment with the offset it was written with, minutes east. */
export class Timestamp {
  constructor(
    /** Since 1970, in nanoseconds. */
    readonly nanos: bigint,
    readonly offsetMinutes = 0,
  ) {}
}

export class Optional {
  static readonly none = new Optional(false, null);
  private constructor(
    readonly hasValue: boolean,
    private readonly held: Value,
  ) {}
  static of(value: Value): Optional {
    return new Optional(true, value);
  }
  get value(): Value {
    if (!this.hasValue) throw new EvaluationError('optional.none() dereference');
    return this.held;
  }
}

export abstract class ListValue implements Iterable<Value> {
  abstract readonly size: number;
  /** @param index within the list */
  abstract at(index: number): Value;

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index += 1) yield this.at(index);
  }
  /** `this == other` of lists that compare in a way of their own; undefined: element by element. */
  equals(_other: ListValue): boolean | undefined {
    return undefined;
  }
  /** `this + other` of lists that merge; undefined: one after the other. */
  plus(_other: ListValue): ListValue | undefined {
    return undefined;
  }
}

export class ArrayList extends ListValue {
  constructor(readonly items: readonly Value[]) {
    super();
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return this.items[index] as Value;
  }
  override [Symbol.iterator](): Generator<Value> {
    return this.items[Symbol.iterator]() as Generator<Value>;
  }
}

export abstract class MapValue {
  abstract readonly size: number;
  abstract keys(): Iterable<Value>;
  abstract find(key: Value): Value | undefined;
}

/** Keys that are equal are one key: 1, 1u and 1.0. */
export function keyText(key: Value): string {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'boolean':
      return `b${String(key)}`;
    case 'bigint':
      return `n${key}`;
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : `n${key}`;
    default:
      if (key === null) return 'null';
      if (key instanceof Uint) return `n${key.value}`;
      throw new EvaluationError(`unsupported key type: ${typeOfValue(key).name}`);
  }
}

export class EntriesMap extends MapValue {
  constructor(private readonly entries: ReadonlyMap<string, readonly [Value, Value]>) {
    super();
  }
  static of(entries: Iterable<readonly [Value, Value]>): EntriesMap {
    return new EntriesMap(new Map(Array.from(entries, (entry) => [keyText(entry[0]), entry])));
  }
  get size(): number {
    return this.entries.size;
  }
  *keys(): Generator<Value> {
    for (const [key] of this.entries.values()) yield key;
  }
  find(key: Value): Value | undefined {
    return this.entries.get(keyText(key))?.[1];
  }
  with(key: Value, value: Value): EntriesMap {
    const text = keyText(key);
    if (this.entries.has(text))
      throw new EvaluationError(`insert failed: key ${typeof key === 'string' ? key : text.slice(1)} already exists`);
    return new EntriesMap(new Map(this.entries).set(text, [key, value]));
  }
}

/** Of the Kubernetes libraries: quantities, URLs, addresses … */
export abstract class ExtensionValue {
  abstract readonly type: Type;
  abstract equals(other: ExtensionValue): boolean;
}

export function typeOfValue(value: Value): Type {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'string':
      return stringType;
    default:
      return typeOfObject(value);
  }
}

function typeOfObject(value: Exclude<Value, boolean | bigint | number | string>): Type {
  if (value === null) return nullType;
  if (value instanceof ListValue) return anyList;
  if (value instanceof MapValue) return anyMap;
  if (value instanceof ExtensionValue) return value.type;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Duration) return durationType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Optional) return anyOptional;
  return value instanceof Type ? typeType : bytesType;
}
