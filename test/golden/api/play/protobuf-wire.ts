// Just enough of protobuf's wire form to put our server's values into recorded messages and to leave out what differs by nature.

export interface Field {
  number: number;
  wire: number;
  /** The content of a length-delimited field, otherwise the bytes of the value. */
  value: Buffer;
}

const envelopePrefix = Buffer.from('k8s\0', 'latin1');

function readVarint(bytes: Buffer, from: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = from; index < bytes.length && index < from + 10; index += 1) {
    const byte = bytes[index] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (index - from));
    if (byte < 0x80) return { value, next: index + 1 };
  }
  return undefined;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

/** Undefined when the bytes are no message. */
export function readFields(bytes: Buffer): Field[] | undefined {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length;) {
    const key = readVarint(bytes, at);
    if (key === undefined || key.value < 8) return undefined;
    const wire = key.value % 8;
    let [from, to] = [key.next, key.next];
    if (wire === 0) to = readVarint(bytes, from)?.next ?? Number.NaN;
    else if (wire === 1) to = from + 8;
    else if (wire === 5) to = from + 4;
    else if (wire === 2) {
      const length = readVarint(bytes, from);
      if (length === undefined) return undefined;
      from = length.next;
      to = from + length.value;
    } else return undefined;
    if (!(to <= bytes.length)) return undefined;
    fields.push({ number: Math.floor(key.value / 8), wire, value: bytes.subarray(from, to) });
    at = to;
  }
  return fields;
}

export function writeFields(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(({ number, wire, value }) => [varint(number * 8 + wire), ...(wire === 2 ? [varint(value.length)] : []), value]),
  );
}

/** Replaces whole strings anywhere in a message, whatever their lengths. */
export function replaceStrings(message: Buffer, replacements: ReadonlyMap<string, string>): Buffer {
  const fields = readFields(message);
  if (fields === undefined) return message;
  let changed = false;
  const replaced = fields.map((field) => {
    if (field.wire !== 2 || field.value.length === 0) return field;
    const text = replacements.get(field.value.toString('utf8'));
    const value = text === undefined ? replaceStrings(field.value, replacements) : Buffer.from(text);
    if (value === field.value) return field;
    changed = true;
    return { ...field, value };
  });
  return changed ? writeFields(replaced) : message;
}

export interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Buffer;
  all: Field[];
}

/** Undefined when the bytes are not `k8s\0` and an Unknown message. */
export function openEnvelope(bytes: Buffer): Envelope | undefined {
  if (!bytes.subarray(0, 4).equals(envelopePrefix)) return undefined;
  const all = readFields(bytes.subarray(4));
  const type = readFields(all?.find(({ number }) => number === 1)?.value ?? Buffer.alloc(0));
  if (all === undefined || type === undefined) return undefined;
  const textOf = (number: number) => type.find((field) => field.number === number)?.value.toString() ?? '';
  return { apiVersion: textOf(1), kind: textOf(2), raw: all.find(({ number }) => number === 2)?.value ?? Buffer.alloc(0), all };
}

export function closeEnvelope(envelope: Envelope, raw: Buffer): Buffer {
  const all = envelope.all.map((field) => (field.number === 2 ? { ...field, value: raw } : field));
  return Buffer.concat([envelopePrefix, writeFields(all)]);
}

// Fields of ObjectMeta and ListMeta.
const changingObjectMeta = new Set([6, 8, 17]);
const changingListMeta = new Set([2]);

const without = (message: Buffer, numbers: ReadonlySet<number>): Buffer => {
  const fields = readFields(message);
  return fields === undefined ? message : writeFields(fields.filter(({ number }) => !numbers.has(number)));
};

const mapField = (message: Buffer, wanted: number, change: (value: Buffer) => Buffer): Buffer => {
  const fields = readFields(message);
  if (fields === undefined) return message;
  return writeFields(fields.map((field) => (field.number === wanted ? { ...field, value: change(field.value) } : field)));
};

/** The message without resourceVersion, creationTimestamp and managedFields of its objects. */
export function withoutChangingMetadata(kind: string, raw: Buffer): Buffer {
  if (kind === 'Status') return raw;
  const ofObject = (object: Buffer) => mapField(object, 1, (metadata) => without(metadata, changingObjectMeta));
  if (!kind.endsWith('List')) return ofObject(raw);
  return mapField(
    mapField(raw, 1, (metadata) => without(metadata, changingListMeta)),
    2,
    ofObject,
  );
}
