import { operators } from '../syntax/ast';
import { hiddenFunctions } from '../syntax/macros';
import { define, defineAnswered, overload, type FunctionDecl, type Overload } from '../types/functions';
import {
  boolType, bytesType, doubleType, durationType, intType, listOf, mapOf, paramType, stringType, timestampType, uintType, type Type, type TypeKind,
} from '../types/type'; // prettier-ignore
import { compare, isEqual } from '../values/compare';
import { duration } from '../values/durations';
import { int64, uint64 } from '../values/numbers';
import { addDuration, between } from '../values/timestamps';
import {
  ArrayList, Duration, EntriesMap, EvaluationError, ListValue, MapValue, noSuchOverload, Timestamp, Uint, type Value,
} from '../values/value'; // prettier-ignore

const A = paramType('A');
const B = paramType('B');
const listOfA = listOf(A);
const mapOfAB = mapOf(A, B);

const everyKind: readonly TypeKind[] = [
  'null', 'bool', 'int', 'uint', 'double', 'string', 'bytes', 'duration', 'timestamp', 'list', 'map', 'type', 'opaque', 'object',
]; // prettier-ignore

/** Two of a type make one of it. */
const closed = (id: string, type: Type, run: Overload['run']): Overload => overload(id, [type, type], type, run);

const divided = (divisor: bigint): bigint => {
  if (divisor === 0n) throw new EvaluationError('division by zero');
  return divisor;
};
const modulus = (divisor: bigint): bigint => {
  if (divisor === 0n) throw new EvaluationError('modulus by zero');
  return divisor;
};
/** The one quotient beyond 64 bits, and the remainder that goes with it. */
const remainder = (a: bigint, b: bigint): bigint => {
  const result = a % modulus(b);
  int64(a / b);
  return result;
};

const arithmetic: FunctionDecl[] = [
  defineAnswered(
    operators.add,
    ['int', 'uint', 'double', 'string', 'bytes', 'duration', 'timestamp', 'list'],
    closed('add_bytes', bytesType, (a: Uint8Array, b: Uint8Array) => Uint8Array.from([...a, ...b])),
    closed('add_double', doubleType, (a: number, b: number) => a + b),
    closed('add_duration_duration', durationType, (a: Duration, b: Duration) => duration(a.nanos + b.nanos)),
    overload('add_duration_timestamp', [durationType, timestampType], timestampType, (a: Duration, b: Timestamp) => addDuration(b, a)),
    overload('add_timestamp_duration', [timestampType, durationType], timestampType, (a: Timestamp, b: Duration) => addDuration(a, b)),
    closed('add_int64', intType, (a: bigint, b: bigint) => int64(a + b)),
    closed('add_list', listOfA, (a: ListValue, b: ListValue) => a.plus(b) ?? new ArrayList([...a, ...b])),
    closed('add_string', stringType, (a: string, b: string) => a + b),
    closed('add_uint64', uintType, (a: Uint, b: Uint) => uint64(a.value + b.value)),
  ),
  defineAnswered(
    operators.subtract,
    ['int', 'uint', 'double', 'duration', 'timestamp'],
    closed('subtract_double', doubleType, (a: number, b: number) => a - b),
    closed('subtract_duration_duration', durationType, (a: Duration, b: Duration) => duration(a.nanos - b.nanos)),
    closed('subtract_int64', intType, (a: bigint, b: bigint) => int64(a - b)),
    overload('subtract_timestamp_duration', [timestampType, durationType], timestampType, (a: Timestamp, b: Duration) =>
      addDuration(a, duration(-b.nanos)),
    ),
    overload('subtract_timestamp_timestamp', [timestampType, timestampType], durationType, (a: Timestamp, b: Timestamp) => between(a, b)),
    closed('subtract_uint64', uintType, (a: Uint, b: Uint) => uint64(a.value - b.value)),
  ),
  defineAnswered(
    operators.multiply,
    ['int', 'uint', 'double'],
    closed('multiply_double', doubleType, (a: number, b: number) => a * b),
    closed('multiply_int64', intType, (a: bigint, b: bigint) => int64(a * b)),
    closed('multiply_uint64', uintType, (a: Uint, b: Uint) => uint64(a.value * b.value)),
  ),
  defineAnswered(
    operators.divide,
    ['int', 'uint', 'double'],
    closed('divide_double', doubleType, (a: number, b: number) => a / b),
    closed('divide_int64', intType, (a: bigint, b: bigint) => int64(a / divided(b))),
    closed('divide_uint64', uintType, (a: Uint, b: Uint) => uint64(a.value / divided(b.value))),
  ),
  defineAnswered(
    operators.modulo,
    ['int', 'uint'],
    closed('modulo_int64', intType, remainder),
    closed('modulo_uint64', uintType, (a: Uint, b: Uint) => uint64(a.value % modulus(b.value))),
  ),
  defineAnswered(
    operators.negate,
    ['int', 'double', 'duration', 'bool'],
    overload('negate_double', [doubleType], doubleType, (a: number) => -a),
    overload('negate_int64', [intType], intType, (a: bigint) => int64(-a)),
  ),
  defineAnswered(
    operators.not,
    everyKind,
    overload('logical_not', [boolType], boolType, (a: boolean) => !a),
  ),
];

/** Orders within a type and between kinds of numbers. */
function order(name: string, id: string, holds: (order: number) => boolean): FunctionDecl {
  const run = (a: Value, b: Value): boolean => holds(compare(a, b));
  const pairs: [string, Type, Type][] = [
    ['bool', boolType, boolType], ['int64', intType, intType], ['int64_double', intType, doubleType], ['int64_uint64', intType, uintType],
    ['uint64', uintType, uintType], ['uint64_double', uintType, doubleType], ['uint64_int64', uintType, intType],
    ['double', doubleType, doubleType], ['double_int64', doubleType, intType], ['double_uint64', doubleType, uintType],
    ['string', stringType, stringType], ['bytes', bytesType, bytesType], ['timestamp', timestampType, timestampType],
    ['duration', durationType, durationType],
  ]; // prettier-ignore
  return defineAnswered(
    name,
    ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'timestamp', 'duration'],
    ...pairs.map(([suffix, a, b]) => overload(`${id}_${suffix}`, [a, b], boolType, run)),
  );
}

const orders = [
  order(operators.less, 'less', (result) => result < 0),
  order(operators.lessEquals, 'less_equals', (result) => result <= 0),
  order(operators.greater, 'greater', (result) => result > 0),
  order(operators.greaterEquals, 'greater_equals', (result) => result >= 0),
];

/** These are evaluated in ways of their own; only their types are of use here. */
const special = (): never => {
  throw noSuchOverload();
};

const logic: FunctionDecl[] = [
  define(operators.conditional, overload('conditional', [boolType, A, A], A, special)),
  define(operators.and, overload('logical_and', [boolType, boolType], boolType, special)),
  define(operators.or, overload('logical_or', [boolType, boolType], boolType, special)),
  define(operators.notStrictlyFalse, overload('not_strictly_false', [boolType], boolType, special)),
];

const aggregates: FunctionDecl[] = [
  define(
    operators.equals,
    overload('equals', [A, A], boolType, (a: Value, b: Value) => isEqual(a, b)),
  ),
  define(
    operators.notEquals,
    overload('not_equals', [A, A], boolType, (a: Value, b: Value) => !isEqual(a, b)),
  ),
  defineAnswered(
    operators.in,
    everyKind,
    overload('in_list', [A, listOfA], boolType, (value: Value, list: ListValue) => {
      for (const item of list) if (isEqual(item, value)) return true;
      return false;
    }),
    overload('in_map', [A, mapOfAB], boolType, (key: Value, map: MapValue) => map.find(key) !== undefined),
  ),
  define(operators.index, overload('index_list', [listOfA, intType], A, special), overload('index_map', [mapOfAB, A], B, special)),
  define(
    hiddenFunctions.mapInsert,
    overload(
      '@mapInsert_map_key_value',
      [mapOf(paramType('K'), paramType('V')), paramType('K'), paramType('V')],
      mapOf(paramType('K'), paramType('V')),
      (map: EntriesMap, key: Value, value: Value) => map.with(key, value),
    ),
    overload(
      '@mapInsert_map_map',
      [mapOf(paramType('K'), paramType('V')), mapOf(paramType('K'), paramType('V'))],
      mapOf(paramType('K'), paramType('V')),
      (map: EntriesMap, added: MapValue) => {
        let result = map;
        for (const key of added.keys()) result = result.with(key, added.find(key) as Value);
        return result;
      },
    ),
  ),
];

export const operatorFunctions: readonly FunctionDecl[] = [...logic, ...aggregates, ...arithmetic, ...orders];
