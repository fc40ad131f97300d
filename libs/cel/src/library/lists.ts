import { define, member, overload, type FunctionDecl, type Overload } from '../types/functions';
import {
  boolType, bytesType, doubleType, durationType, intType, listOf, paramType, stringType, timestampType, uintType, type Type,
} from '../types/type'; // prettier-ignore
import { compare, isEqual } from '../values/compare';
import { duration } from '../values/durations';
import { int64, uint64 } from '../values/numbers';
import { Duration, EvaluationError, ListValue, Uint, type Value } from '../values/value';

const A = paramType('A');
const summable: readonly [string, Type, Value, (a: never, b: never) => Value][] = [
  ['int', intType, 0n, (a: bigint, b: bigint) => int64(a + b)],
  ['uint', uintType, new Uint(0n), (a: Uint, b: Uint) => uint64(a.value + b.value)],
  ['double', doubleType, 0, (a: number, b: number) => a + b],
  ['duration', durationType, new Duration(0n), (a: Duration, b: Duration) => duration(a.nanos + b.nanos)],
];
const comparable: readonly [string, Type][] = [
  ['int', intType], ['uint', uintType], ['double', doubleType], ['bool', boolType], ['duration', durationType], ['timestamp', timestampType],
  ['string', stringType], ['bytes', bytesType],
]; // prettier-ignore

function isSorted(list: ListValue): boolean {
  for (let index = 1; index < list.size; index += 1) if (compare(list.at(index - 1), list.at(index)) > 0) return false;
  return true;
}

/** @param prefers whether the later of two is taken, by their order */
function extreme(name: string, prefers: (order: number) => boolean): Overload['run'] {
  return (list: ListValue): Value => {
    if (list.size === 0) throw new EvaluationError(`${name} called on empty list`);
    let best = list.at(0);
    for (let index = 1; index < list.size; index += 1) if (prefers(compare(best, list.at(index)))) best = list.at(index);
    return best;
  };
}

function placeOf(list: ListValue, sought: Value): bigint {
  for (let index = 0; index < list.size; index += 1) if (isEqual(list.at(index), sought)) return BigInt(index);
  return -1n;
}

function lastPlaceOf(list: ListValue, sought: Value): bigint {
  for (let index = list.size - 1; index >= 0; index -= 1) if (isEqual(list.at(index), sought)) return BigInt(index);
  return -1n;
}

const contains = (list: ListValue, other: ListValue): boolean => [...other].every((item) => placeOf(list, item) >= 0n);
const intersects = (list: ListValue, other: ListValue): boolean => [...other].some((item) => placeOf(list, item) >= 0n);

/** Kubernetes' own functions of lists, and the extension `sets`. */
export const listFunctions: readonly FunctionDecl[] = [
  define('isSorted', ...comparable.map(([name, type]) => member(`list_${name}_is_sorted_bool`, [listOf(type)], boolType, isSorted))),
  define(
    'sum',
    ...summable.map(([name, type, zero, add]) =>
      member(`list_${name}_sum_${name}`, [listOf(type)], type, (list: ListValue) =>
        [...list].reduce((sum, item) => add(sum as never, item as never), zero),
      ),
    ),
  ),
  define(
    'max',
    ...comparable.map(([name, type]) =>
      member(
        `list_${name}_max_${name}`,
        [listOf(type)],
        type,
        extreme('max', (order) => order < 0),
      ),
    ),
  ),
  define(
    'min',
    ...comparable.map(([name, type]) =>
      member(
        `list_${name}_min_${name}`,
        [listOf(type)],
        type,
        extreme('min', (order) => order > 0),
      ),
    ),
  ),
  define('indexOf', member('list_a_index_of_int', [listOf(A), A], intType, placeOf)),
  define('lastIndexOf', member('list_a_last_index_of_int', [listOf(A), A], intType, lastPlaceOf)),
  define('sets.contains', overload('list_sets_contains_list', [listOf(paramType('T')), listOf(paramType('T'))], boolType, contains)),
  define('sets.intersects', overload('list_sets_intersects_list', [listOf(paramType('T')), listOf(paramType('T'))], boolType, intersects)),
  define(
    'sets.equivalent',
    overload(
      'list_sets_equivalent_list',
      [listOf(paramType('T')), listOf(paramType('T'))],
      boolType,
      (list: ListValue, other: ListValue) => contains(list, other) && contains(other, list),
    ),
  ),
];
