import { operators } from '../syntax/ast';
import { define, member, overload, type FunctionDecl } from '../types/functions';
import { boolType, dynType, intType, listOf, mapOf, optionalOf, paramType, stringType } from '../types/type';
import { ArrayList, Duration, EvaluationError, ListValue, MapValue, Optional, Timestamp, Uint, type Value } from '../values/value';

const K = paramType('K');
const V = paramType('V');
const optionalV = optionalOf(V);
const listV = listOf(V);
const mapKV = mapOf(K, V);

/** Evaluated in ways of their own. */
const special = (): never => {
  throw new EvaluationError('no such overload');
};

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  // The zero time of Go, the first moment of the year 1.
  if (value instanceof Timestamp) return value.nanos === -62_135_596_800_000_000_000n;
  if (value instanceof Optional) return !value.hasValue;
  return value instanceof Uint8Array && value.length === 0;
}

function unwrap(list: ListValue): ListValue {
  const held: Value[] = [];
  for (const item of list) {
    if (!(item instanceof Optional)) throw new EvaluationError('value is not optional');
    if (item.hasValue) held.push(item.value);
  }
  return new ArrayList(held);
}

const atEnd = (place: (size: number) => number) => (list: ListValue) =>
  list.size === 0 ? Optional.none : Optional.of(list.at(place(list.size)));

export const optionalFunctions: readonly FunctionDecl[] = [
  define(
    'optional.of',
    overload('optional_of', [V], optionalV, (value: Value) => Optional.of(value)),
  ),
  define(
    'optional.ofNonZeroValue',
    overload('optional_ofNonZeroValue', [V], optionalV, (value: Value) => (isZero(value) ? Optional.none : Optional.of(value))),
  ),
  define(
    'optional.none',
    overload('optional_none', [], optionalV, () => Optional.none),
  ),
  define(
    'value',
    member('optional_value', [optionalV], V, (optional: Optional) => optional.value),
  ),
  define(
    'hasValue',
    member('optional_hasValue', [optionalV], boolType, (optional: Optional) => optional.hasValue),
  ),
  define('or', member('optional_or_optional', [optionalV, optionalV], optionalV, special)),
  define('orValue', member('optional_orValue_value', [optionalV, V], V, special)),
  define(operators.optionalSelect, overload('select_optional_field', [dynType, stringType], optionalV, special)),
  define(
    operators.optionalIndex,
    overload('list_optindex_optional_int', [listV, intType], optionalV, special),
    overload('optional_list_optindex_optional_int', [optionalOf(listV), intType], optionalV, special),
    overload('map_optindex_optional_value', [mapKV, K], optionalV, special),
    overload('optional_map_optindex_optional_value', [optionalOf(mapKV), K], optionalV, special),
  ),
  define(
    operators.index,
    overload('optional_list_index_int', [optionalOf(listV), intType], optionalV, special),
    overload('optional_map_index_value', [optionalOf(mapKV), K], optionalV, special),
  ),
  define(
    'last',
    member(
      'list_last',
      [listV],
      optionalV,
      atEnd((size) => size - 1),
    ),
  ),
  define(
    'first',
    member(
      'list_first',
      [listV],
      optionalV,
      atEnd(() => 0),
    ),
  ),
  define('optional.unwrap', overload('optional_unwrap', [listOf(optionalV)], listV, unwrap)),
  define('unwrapOpt', member('optional_unwrapOpt', [listOf(optionalV)], listV, unwrap)),
];
