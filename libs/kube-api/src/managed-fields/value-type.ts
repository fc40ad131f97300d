import type { Json } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { zeroOf } from '../decode';
import type { Definition, Field, Scalar, TypeRef } from '../schema';

/** How server-side apply looks at values of a field (structured-merge-diff's schema, made of a kind's definitions). */
export type ValueType = ScalarType | StructType | MapType | ListType | DeducedType;

export interface ScalarType {
  readonly is: 'scalar';
  /** `any`: a text, a number or a truth value (quantities, ports by name or number). */
  readonly scalar: 'string' | 'numeric' | 'boolean' | 'any';
}

export interface StructType {
  readonly is: 'struct';
  /** One value as a whole. */
  readonly atomic: boolean;
  /** Undefined: no such field is declared. */
  field(name: string): ValueType | undefined;
  defaultOf(name: string): Json | undefined;
}

export interface MapType {
  readonly is: 'map';
  readonly atomic: boolean;
  readonly element: ValueType;
}

export interface ListType {
  readonly is: 'list';
  /** `map`: elements are known by their keys; `set`: by their values. */
  readonly list: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly element: ValueType;
}

/** Nobody says what it is: maps are looked into, lists are one value. */
export interface DeducedType {
  readonly is: 'deduced';
}

export const deduced: DeducedType = { is: 'deduced' };
const deducedMap: MapType = { is: 'map', atomic: false, element: deduced };
const deducedList: ListType = { is: 'list', list: 'atomic', keys: [], element: deduced };
const anyScalar: ScalarType = { is: 'scalar', scalar: 'any' };

const scalarTypes: Readonly<Record<Scalar, ValueType>> = {
  string: { is: 'scalar', scalar: 'string' },
  bytes: { is: 'scalar', scalar: 'string' },
  time: { is: 'scalar', scalar: 'string' },
  microTime: { is: 'scalar', scalar: 'string' },
  bool: { is: 'scalar', scalar: 'boolean' },
  int32: { is: 'scalar', scalar: 'numeric' },
  int64: { is: 'scalar', scalar: 'numeric' },
  double: { is: 'scalar', scalar: 'numeric' },
  quantity: anyScalar,
  intOrString: anyScalar,
  fieldsV1: deducedMap,
  raw: deduced,
  json: deduced,
};

/** The type of objects that look so; where nobody says how they look, it follows from each value. */
export function typeOf(definition: Definition | undefined): ValueType {
  if (!definition) return deduced;
  let type = structs.get(definition);
  if (!type) structs.set(definition, (type = new Struct(definition, definition.atomic)));
  return type;
}

const structs = new WeakMap<Definition, StructType>();

class Struct implements StructType {
  readonly is = 'struct';
  private readonly fields = new Map<string, ValueType>();

  constructor(
    private readonly definition: Definition,
    readonly atomic: boolean,
  ) {}

  field(name: string): ValueType | undefined {
    const known = this.fields.get(name);
    if (known) return known;
    const field = this.definition.byName.get(name);
    if (!field) return undefined;
    const type = ofField(field);
    this.fields.set(name, type);
    return type;
  }

  /** What is always written has a default, if only that of its type. */
  defaultOf(name: string): Json | undefined {
    const field = this.definition.byName.get(name);
    if (!field) return undefined;
    return (field.default as Json | undefined) ?? (field.always && !field.pointer ? zeroOf(field.ref) : undefined);
  }
}

function ofField({ ref, listType = 'atomic', mapKeys = [], mapType }: Field): ValueType {
  if (ref.type === 'list') return { is: 'list', list: listType, keys: mapKeys, element: ofRef(ref.item) };
  if (ref.type === 'map') return { is: 'map', atomic: mapType === 'atomic', element: ofRef(ref.value) };
  return ref.type === 'struct' && mapType !== undefined ? new Struct(ref.of, mapType === 'atomic') : ofRef(ref);
}

function ofRef(ref: TypeRef): ValueType {
  if (ref.type === 'scalar') return scalarTypes[ref.scalar];
  if (ref.type === 'struct') return typeOf(ref.of);
  if (ref.type === 'list') return { is: 'list', list: 'atomic', keys: [], element: ofRef(ref.item) };
  return { is: 'map', atomic: false, element: ofRef(ref.value) };
}

/** The type that a value has, where it is left to the value. */
export function resolved(type: ValueType, value: Json | undefined): Exclude<ValueType, DeducedType> {
  if (type.is !== 'deduced') return type;
  if (value === undefined || value === null || isObject(value)) return deducedMap;
  return Array.isArray(value) ? deducedList : anyScalar;
}

/** The type of a field of a struct, or of the values of a map. */
export function fieldType(type: StructType | MapType, name: string): ValueType | undefined {
  return type.is === 'map' ? type.element : type.field(name);
}
