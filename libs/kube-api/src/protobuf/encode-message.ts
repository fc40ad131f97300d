import { parseTime, type Json, type JsonObject } from '#libs/kernel';
import type { Definition, Field, Scalar, TypeRef } from '../schema';
import { MessageBuilder } from './message-builder';
import { bytesWire, fixed64Wire, varintWire } from './reader';

/**
 * Values of the API as messages, byte for byte as the generated code of the release writes them: fields by number, what is no pointer in Go
 * even when it is zero, keys of maps in order.
 */

/** What stands at a number of a message: a field, or a message whose fields JSON holds inline. */
type Place = { readonly number: number; readonly field: Field } | { readonly number: number; readonly inline: readonly Place[] };

const tables = new Map<Definition, readonly Place[]>();

/** Highest number first: messages are built from their end. */
function placesOf(of: Definition): readonly Place[] {
  let places = tables.get(of);
  if (!places) tables.set(of, (places = arrange(of.fields, 0)));
  return places;
}

function arrange(fields: readonly Field[], depth: number): Place[] {
  const byNumber = new Map<number, Field[]>();
  for (const field of fields) {
    const number = field.numbers[depth];
    if (number === undefined) continue;
    const there = byNumber.get(number);
    if (there) there.push(field);
    else byNumber.set(number, [field]);
  }
  return [...byNumber]
    .sort(([a], [b]) => b - a)
    .map(([number, there]) => {
      const [field] = there as [Field];
      return field.numbers.length > depth + 1 ? { number, inline: arrange(there, depth + 1) } : { number, field };
    });
}

/** An object (or any value of the definition) as its message, without an envelope. */
export function encodeMessage(of: Definition, object: JsonObject): Buffer {
  const builder = new MessageBuilder();
  writePlaces(builder, placesOf(of), object);
  return builder.finish();
}

function writePlaces(builder: MessageBuilder, places: readonly Place[], object: JsonObject): void {
  for (const place of places) {
    if ('field' in place) writeField(builder, place.number, place.field, object[place.field.name]);
    else nested(builder, place.number, () => writePlaces(builder, place.inline, object));
  }
}

function nested(builder: MessageBuilder, number: number, write: () => void): void {
  const end = builder.size;
  write();
  builder.varint(builder.size - end);
  builder.tag(number, bytesWire);
}

function writeField(builder: MessageBuilder, number: number, { ref, pointer, wrapped }: Field, value: Json | undefined): void {
  if (ref.type === 'list') {
    const items = (value ?? []) as readonly Json[];
    for (let index = items.length - 1; index >= 0; index--) writeValue(builder, number, ref.item, items[index] as Json);
  } else if (ref.type === 'map') writeMap(builder, number, ref.value, (value ?? {}) as JsonObject, wrapped);
  else if (value !== undefined && value !== null) writeValue(builder, number, ref, value);
  else if (!pointer) writeZero(builder, number, ref);
}

function writeMap(builder: MessageBuilder, number: number, ref: TypeRef, map: JsonObject, wrapped: boolean): void {
  for (const key of Object.keys(map).sort(byBytes).reverse()) {
    nested(builder, number, () => {
      const value = map[key] as Json;
      if (wrapped) nested(builder, 2, () => writeTexts(builder, value));
      else if (value === null) writeZero(builder, 2, ref);
      else writeValue(builder, 2, ref, value);
      builder.text(key);
      builder.tag(1, bytesWire);
    });
  }
}

/** Go sorts texts by their bytes. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function writeTexts(builder: MessageBuilder, value: Json): void {
  for (const text of [...((value ?? []) as string[])].reverse()) {
    builder.text(text);
    builder.tag(1, bytesWire);
  }
}

/** What is no pointer is written even where JSON leaves it out; bytes that are nil are not. */
function writeZero(builder: MessageBuilder, number: number, ref: TypeRef): void {
  if (ref.type === 'struct') nested(builder, number, () => writePlaces(builder, placesOf(ref.of), {}));
  if (ref.type !== 'scalar' || ref.scalar === 'bytes') return;
  const zero = zeros[ref.scalar];
  if (zero === undefined) nested(builder, number, () => undefined);
  else writeScalar(builder, number, ref.scalar, zero);
}

const zeros: Partial<Record<Scalar, Json>> = { string: '', bool: false, int32: 0, int64: 0, double: 0, intOrString: 0, quantity: '0' };

function writeValue(builder: MessageBuilder, number: number, ref: TypeRef, value: Json): void {
  if (ref.type === 'struct') nested(builder, number, () => writePlaces(builder, placesOf(ref.of), (value ?? {}) as JsonObject));
  else if (ref.type === 'scalar') writeScalar(builder, number, ref.scalar, value);
}

function writeScalar(builder: MessageBuilder, number: number, scalar: Scalar, value: Json): void {
  switch (scalar) {
    case 'bool':
      builder.varint(value ? 1 : 0);
      return builder.tag(number, varintWire);
    case 'int32':
    case 'int64':
      builder.integer(value as number);
      return builder.tag(number, varintWire);
    case 'double':
      builder.double(value as number);
      return builder.tag(number, fixed64Wire);
    case 'string':
      builder.text(value as string);
      return builder.tag(number, bytesWire);
    case 'bytes':
      builder.bytes(Buffer.from(value as string, 'base64'));
      return builder.tag(number, bytesWire);
    default:
      return nested(builder, number, () => writeSpecial(builder, scalar, value));
  }
}

/** Scalars of JSON that are messages of their own. */
function writeSpecial(builder: MessageBuilder, scalar: Scalar, value: Json): void {
  if (scalar === 'time' || scalar === 'microTime') return writeTimestamp(builder, scalar, value as string);
  if (scalar === 'intOrString') {
    const isText = typeof value === 'string';
    writeScalar(builder, 3, 'string', isText ? value : '');
    writeScalar(builder, 2, 'int32', isText ? 0 : value);
    return writeScalar(builder, 1, 'int32', isText ? 1 : 0);
  }
  writeScalar(builder, 1, 'string', scalar === 'quantity' ? value : JSON.stringify(value));
}

function writeTimestamp(builder: MessageBuilder, scalar: 'time' | 'microTime', text: string): void {
  const seconds = Math.floor((parseTime(text) ?? 0) / 1000);
  const digits = scalar === 'microTime' ? (/\.(\d{1,9})/.exec(text)?.[1] ?? '') : '';
  writeScalar(builder, 2, 'int32', Number(digits.padEnd(9, '0')));
  writeScalar(builder, 1, 'int64', seconds);
}
