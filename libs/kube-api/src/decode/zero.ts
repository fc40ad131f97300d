import type { Json, JsonObject } from '#libs/kernel';
import type { Definition, TypeRef } from '../schema';

/** Go's zero value of a type as its encoder writes it: `{}` with what is written always, null for lists, maps and times. */
export function zeroOf(ref: TypeRef): Json {
  if (ref.type === 'struct') return zeroStruct(ref.of);
  if (ref.type !== 'scalar') return null;
  switch (ref.scalar) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    default:
      return null;
  }
}

export function zeroStruct(of: Definition): JsonObject {
  const object: JsonObject = {};
  for (const field of of.fields) if (field.always) object[field.name] = field.pointer ? null : zeroOf(field.ref);
  return object;
}
