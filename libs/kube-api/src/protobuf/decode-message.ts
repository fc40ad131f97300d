import type { Json, JsonObject } from '#libs/kernel';
import { formatMicroTime, formatTime } from '#libs/kernel';
import { parseJson, plainNumbers } from '../decode/go-json';
import type { Definition, Field, Scalar, TypeRef } from '../schema';
import { bytesWire, fixed64Wire, ProtobufError, ProtobufReader, varintWire } from './reader';

/**
 * Messages of the API as JSON values, driven by the numbers in the schema. Times, quantities and the like come out as their JSON
 * texts; what is zero is not left out (the conversion to wire form does that).
 */

/** What a number of a message stands for: a field, or a message whose fields JSON holds inline. */
type Place = { readonly field: Field; readonly inline?: undefined } | { readonly inline: Places; readonly field?: undefined };
type Places = Map<number, Place>;

const tables = new Map<Definition, Places>();

function placesOf(of: Definition): Places {
  const known = tables.get(of);
  if (known) return known;
  const root: Places = new Map();
  for (const field of of.fields) {
    let places = root;
    for (const number of field.numbers.slice(0, -1)) {
      const inside = places.get(number)?.inline ?? (new Map() as Places);
      places.set(number, { inline: inside });
      places = inside;
    }
    const last = field.numbers.at(-1);
    if (last !== undefined) places.set(last, { field });
  }
  tables.set(of, root);
  return root;
}

/** Messages nested deeper are refused. */
const depthMax = 100;

export function decodeMessage(of: Definition, reader: ProtobufReader): JsonObject {
  const object: JsonObject = {};
  readFields(placesOf(of), reader, object, 0);
  return object;
}

function readFields(places: Places, reader: ProtobufReader, into: JsonObject, depth: number): void {
  if (depth > depthMax) throw new ProtobufError('proto: exceeded max depth');
  while (!reader.done) {
    const { number, wire } = reader.tag();
    const place = places.get(number);
    if (!place) reader.skip(wire);
    else if (place.inline) readFields(place.inline, partOf(reader, wire, number), into, depth + 1);
    else readField(place.field, reader, wire, into, depth);
  }
}

function partOf(reader: ProtobufReader, wire: number, number: number): ProtobufReader {
  if (wire !== bytesWire) throw new ProtobufError(`proto: wrong wireType = ${wire} for field ${number}`);
  return reader.part();
}

function readField(field: Field, reader: ProtobufReader, wire: number, into: JsonObject, depth: number): void {
  const { ref, name } = field;
  if (ref.type === 'list') {
    const list = (into[name] ??= []) as Json[];
    if (wire === bytesWire && isNumeric(ref.item)) {
      for (const packed = reader.part(); !packed.done;) list.push(readValue(ref.item, packed, wireOf(ref.item), name, depth));
    } else list.push(readValue(ref.item, reader, wire, name, depth));
  } else if (ref.type === 'map') {
    readEntry(field, ref.value, reader, wire, (into[name] ??= {}) as JsonObject, depth);
  } else into[name] = readValue(ref, reader, wire, name, depth);
}

function readEntry(field: Field, ref: TypeRef, reader: ProtobufReader, wire: number, map: JsonObject, depth: number): void {
  const entry = partOf(reader, wire, 0);
  let key = '';
  let value: Json = field.wrapped ? [] : emptyOf(ref);
  while (!entry.done) {
    const tag = entry.tag();
    if (tag.number === 1) key = partOf(entry, tag.wire, 1).rest().toString('utf8');
    else if (tag.number !== 2) entry.skip(tag.wire);
    else if (field.wrapped) value = readTexts(partOf(entry, tag.wire, 2));
    else value = readValue(ref, entry, tag.wire, field.name, depth);
  }
  // An own property also for a key such as `__proto__`.
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A message whose number 1 is a list of texts (ExtraValue). */
function readTexts(reader: ProtobufReader): Json[] {
  const texts: Json[] = [];
  while (!reader.done) {
    const { number, wire } = reader.tag();
    if (number === 1) texts.push(partOf(reader, wire, 1).rest().toString('utf8'));
    else reader.skip(wire);
  }
  return texts;
}

/** The value of a map entry that holds none. */
function emptyOf(ref: TypeRef): Json {
  if (ref.type === 'struct') return {};
  if (ref.type !== 'scalar') return null;
  return ref.scalar === 'quantity' ? '0' : isNumeric(ref) ? 0 : ref.scalar === 'bool' ? false : '';
}

const numeric: ReadonlySet<Scalar> = new Set<Scalar>(['bool', 'int32', 'int64', 'double']);

function isNumeric(ref: TypeRef): boolean {
  return ref.type === 'scalar' && numeric.has(ref.scalar);
}

function wireOf(ref: TypeRef): number {
  return ref.type === 'scalar' && ref.scalar === 'double' ? fixed64Wire : varintWire;
}

function readValue(ref: TypeRef, reader: ProtobufReader, wire: number, name: string, depth: number): Json {
  if (wire !== (isNumeric(ref) ? wireOf(ref) : bytesWire))
    throw new ProtobufError(`proto: wrong wireType = ${wire} for field ${goFieldName(name)}`);
  if (ref.type === 'struct') {
    const object: JsonObject = {};
    readFields(placesOf(ref.of), reader.part(), object, depth + 1);
    return object;
  }
  if (ref.type !== 'scalar') throw new ProtobufError(`proto: unexpected nesting in field ${goFieldName(name)}`);
  switch (ref.scalar) {
    case 'bool':
      return reader.integer() !== 0;
    case 'int32':
      return reader.integer() | 0;
    case 'int64':
      return reader.integer();
    case 'double':
      return reader.double();
    default:
      return readPart(ref.scalar, reader.part());
  }
}

function goFieldName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Scalars of JSON that are length-delimited in protobuf. */
function readPart(scalar: Scalar, part: ProtobufReader): Json {
  switch (scalar) {
    case 'string':
      return part.rest().toString('utf8');
    case 'bytes':
      return part.rest().toString('base64');
    case 'time':
    case 'microTime':
      return readTimestamp(scalar, part);
    case 'quantity':
      return readNumbered(part).get(1)?.toString('utf8') ?? '0';
    case 'intOrString':
      return readIntOrString(part);
    default:
      return readRawJson(readNumbered(part).get(1));
  }
}

/** The length-delimited parts of a message by number. */
function readNumbered(reader: ProtobufReader): Map<number, Buffer> {
  const parts = new Map<number, Buffer>();
  while (!reader.done) {
    const { number, wire } = reader.tag();
    if (wire === bytesWire) parts.set(number, reader.part().rest());
    else reader.skip(wire);
  }
  return parts;
}

function readTimestamp(scalar: 'time' | 'microTime', reader: ProtobufReader): Json {
  if (reader.done) return null;
  let seconds = 0;
  let nanos = 0;
  while (!reader.done) {
    const { number, wire } = reader.tag();
    if (wire !== varintWire) reader.skip(wire);
    else if (number === 1) seconds = reader.integer();
    else if (number === 2) nanos = reader.integer();
    else reader.varint();
  }
  // Beyond what a date can hold there is no text for it; the API's own times end with the year 9999.
  if (Math.abs(seconds) > 253_402_300_799) throw new ProtobufError('proto: timestamp out of range');
  if (scalar === 'time') return formatTime(seconds * 1000);
  return `${formatMicroTime(seconds * 1000).slice(0, 20)}${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}

function readIntOrString(reader: ProtobufReader): Json {
  let isString = false;
  let number = 0;
  let text = '';
  while (!reader.done) {
    const tag = reader.tag();
    if (tag.number === 1 && tag.wire === varintWire) isString = reader.integer() === 1;
    else if (tag.number === 2 && tag.wire === varintWire) number = reader.integer() | 0;
    else if (tag.number === 3 && tag.wire === bytesWire) text = reader.part().rest().toString('utf8');
    else reader.skip(tag.wire);
  }
  return isString ? text : number;
}

/** FieldsV1 and RawExtension carry JSON. */
function readRawJson(raw: Buffer | undefined): Json {
  if (!raw || raw.length === 0) return null;
  const parsed = parseJson(raw.toString('utf8'));
  if (parsed.error !== undefined) throw new ProtobufError('proto: embedded value is no JSON');
  return plainNumbers(parsed.value);
}
