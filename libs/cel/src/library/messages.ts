import { boolType, bytesType, doubleType, durationType, intType, stringType, timestampType, uintType, type Type } from '../types/type';
import { duration } from '../values/durations';
import { timestamp } from '../values/timestamps';
import { Uint, type Value } from '../values/value';

/** A message of protobuf's own that an expression can construct. */
export interface Message {
  /** What it is a way to write. */
  type: Type;
  fields: Readonly<Record<string, Type>>;
  make: (fields: Readonly<Record<string, Value>>) => Value;
}

const wrapper = (type: Type, zero: Value): Message => ({ type, fields: { value: type }, make: ({ value = zero }) => value });

const second = 1_000_000_000n;
const nanosOf = ({ seconds = 0n, nanos = 0n }: Readonly<Record<string, Value>>): bigint => (seconds as bigint) * second + (nanos as bigint);
const parts = { seconds: intType, nanos: intType };

/** By their names. */
export const messages: ReadonlyMap<string, Message> = new Map([
  ['google.protobuf.BoolValue', wrapper(boolType, false)],
  ['google.protobuf.BytesValue', wrapper(bytesType, new Uint8Array())],
  ['google.protobuf.DoubleValue', wrapper(doubleType, 0)],
  ['google.protobuf.FloatValue', wrapper(doubleType, 0)],
  ['google.protobuf.Int32Value', wrapper(intType, 0n)],
  ['google.protobuf.Int64Value', wrapper(intType, 0n)],
  ['google.protobuf.StringValue', wrapper(stringType, '')],
  ['google.protobuf.UInt32Value', wrapper(uintType, new Uint(0n))],
  ['google.protobuf.UInt64Value', wrapper(uintType, new Uint(0n))],
  ['google.protobuf.Duration', { type: durationType, fields: parts, make: (fields) => duration(nanosOf(fields)) }],
  ['google.protobuf.Timestamp', { type: timestampType, fields: parts, make: (fields) => timestamp(nanosOf(fields)) }],
]);
