export type TypeKind =
  | 'dyn' | 'error' | 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'duration' | 'timestamp'
  | 'list' | 'map' | 'type' | 'param' | 'opaque' | 'object'; // prettier-ignore

/** A type of the language, at once a value of it (`type(x)`). */
export class Type {
  constructor(
    readonly kind: TypeKind,
    /** As values are told of it: `google.protobuf.Duration`. */
    readonly name: string,
    readonly params: readonly Type[] = [],
  ) {}

  /** As the checker's messages write it: `list(int)`, `duration`, `optional_type(string)`. */
  toString(): string {
    const shown = shortNames.get(this.kind) ?? this.name;
    return this.params.length === 0 ? shown : `${this.name}(${this.params.join(', ')})`;
  }
}

/** As the API server's own messages write a type: by its full name. */
export function fullNameOf({ name, params }: Type): string {
  return params.length === 0 ? name : `${name}(${params.map(fullNameOf).join(', ')})`;
}

const shortNames: ReadonlyMap<TypeKind, string> = new Map<TypeKind, string>([
  ['duration', 'duration'],
  ['timestamp', 'timestamp'],
  ['null', 'null'],
  ['error', '!error!'],
]);

export const dynType = new Type('dyn', 'dyn');
export const errorType = new Type('error', '*error*');
export const nullType = new Type('null', 'null_type');
export const boolType = new Type('bool', 'bool');
export const intType = new Type('int', 'int');
export const uintType = new Type('uint', 'uint');
export const doubleType = new Type('double', 'double');
export const stringType = new Type('string', 'string');
export const bytesType = new Type('bytes', 'bytes');
export const durationType = new Type('duration', 'google.protobuf.Duration');
export const timestampType = new Type('timestamp', 'google.protobuf.Timestamp');
export const typeType = new Type('type', 'type');

export const listOf = (element: Type): Type => new Type('list', 'list', [element]);
export const mapOf = (key: Type, value: Type): Type => new Type('map', 'map', [key, value]);
export const typeOf = (type: Type): Type => new Type('type', 'type', [type]);
export const optionalOf = (type: Type): Type => new Type('opaque', 'optional_type', [type]);
export const paramType = (name: string): Type => new Type('param', name);
export const opaqueType = (name: string): Type => new Type('opaque', name);
export const objectType = (name: string): Type => new Type('object', name);

/** Of values: what is in a list or map is not told. */
export const anyList = listOf(dynType);
export const anyMap = mapOf(dynType, dynType);
export const anyOptional = optionalOf(dynType);

export const isDynOrError = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'error';

/** What an optional holds; undefined: it is none. */
export function heldType(type: Type): Type | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.params[0] : undefined;
}

export function isSameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => isSameType(param, b.params[index] as Type));
}
