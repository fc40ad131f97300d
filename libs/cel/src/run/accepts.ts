import { Type } from '../types/type';
import { Duration, ExtensionValue, ListValue, MapValue, Optional, Timestamp, Uint, type Value } from '../values/value';

/** Whether a value is of a declared type, as far as calls are chosen by it: what is in lists and maps is not looked at. */
export function accepts(type: Type, value: Value): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true;
    case 'null':
      return value === null;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    default:
      return isInstance(type, value);
  }
}

function isInstance(type: Type, value: Value): boolean {
  switch (type.kind) {
    case 'list':
      return value instanceof ListValue;
    case 'map':
      return value instanceof MapValue;
    case 'uint':
      return value instanceof Uint;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'duration':
      return value instanceof Duration;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'type':
      return value instanceof Type;
    case 'opaque':
    case 'object':
      if (type.name === 'optional_type') return value instanceof Optional;
      return value instanceof ExtensionValue && value.type.name === type.name;
    default:
      return false;
  }
}
