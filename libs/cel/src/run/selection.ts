import { EvaluationError, ListValue, MapValue, noSuchOverload, Optional, typeOfValue, Uint, type Value } from '../values/value';

const shown = (key: Value): string => (key instanceof Uint ? String(key.value) : String(key));

/** `operand.field`; what follows an optional is an optional. */
export function selectField(operand: Value, field: string): Value {
  if (operand instanceof Optional) return optionally(operand, (held) => findField(held, field));
  const found = findField(operand, field);
  if (found === undefined) throw new EvaluationError(`no such key: ${field}`);
  return found;
}

/** `operand.?field` */
export function selectOptional(operand: Value, field: string): Optional {
  if (operand instanceof Optional) return optionally(operand, (held) => findField(held, field));
  const found = findField(operand, field);
  return found === undefined ? Optional.none : Optional.of(found);
}

/** `has(operand.field)` */
export function hasField(operand: Value, field: string): boolean {
  if (operand instanceof Optional) return operand.hasValue && findField(operand.value, field) !== undefined;
  return findField(operand, field) !== undefined;
}

/** `operand[index]` */
export function atIndex(operand: Value, index: Value): Value {
  if (operand instanceof Optional) return optionally(operand, (held) => findIndex(held, index));
  const found = findIndex(operand, index);
  if (found !== undefined) return found;
  throw new EvaluationError(operand instanceof ListValue ? `index out of bounds: ${shown(index)}` : `no such key: ${shown(index)}`);
}

/** `operand[?index]` */
export function atOptionalIndex(operand: Value, index: Value): Optional {
  if (operand instanceof Optional) return optionally(operand, (held) => findIndex(held, index));
  const found = findIndex(operand, index);
  return found === undefined ? Optional.none : Optional.of(found);
}

function optionally(optional: Optional, find: (held: Value) => Value | undefined): Optional {
  const found = optional.hasValue ? find(optional.value) : undefined;
  return found === undefined ? Optional.none : Optional.of(found);
}

/** What is neither a map nor a list, null among it, has no fields. */
function findField(operand: Value, field: string): Value | undefined {
  if (operand instanceof MapValue) return operand.find(field);
  if (operand instanceof ListValue) throw noSuchOverload();
  return undefined;
}

function findIndex(operand: Value, index: Value): Value | undefined {
  if (operand instanceof MapValue) return operand.find(index);
  if (!(operand instanceof ListValue)) throw noSuchOverload();
  const place = placeOf(index);
  return place !== undefined && place >= 0 && place < operand.size ? operand.at(place) : undefined;
}

/** Any number that is whole names a place. @throws EvaluationError for what is no number */
function placeOf(index: Value): number | undefined {
  if (typeof index === 'bigint') return Number(index);
  if (index instanceof Uint) return Number(index.value);
  if (typeof index !== 'number') throw new EvaluationError(`unsupported index type '${typeOfValue(index).name}' in list`);
  return Number.isInteger(index) ? index : undefined;
}
