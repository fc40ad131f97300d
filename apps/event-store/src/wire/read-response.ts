import { TOMBSTONE_REVISION, type Payload, type StoredEvent } from '#libs/event-log';
import { ByteWriter, varintSize, varintSizeOf } from './byte-writer';
import { JSON_TYPE, OCTETS_TYPE } from './events';
import { wireUuid } from './uuid';

/** Tags of the fields written here: number and wire type, as streams.proto has them. */
const TAG = {
  readResp: { event: 0x0a, firstStreamPosition: 0x28, lastStreamPosition: 0x30 },
  readEvent: { event: 0x0a, link: 0x12, commitPosition: 0x18 },
  recorded: { id: 0x0a, stream: 0x12, revision: 0x18, prepare: 0x20, commit: 0x28, metadata: 0x32, customMetadata: 0x3a, data: 0x42 },
  uuid: { structured: 0x0a, string: 0x12 },
  structured: { most: 0x08, least: 0x10 },
  streamIdentifier: { name: 0x1a },
  entry: { key: 0x0a, value: 0x12 },
} as const;

const INT64_MAX = 2n ** 63n - 1n;
/** A tag below 16 and a length take so many bytes at most. */
const HEAD_BYTES_MAX = 6;

const sizeOf = (payload: Payload): number => (typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length);
/** Tag, length and contents. */
const field = (size: number): number => 1 + varintSize(size) + size;

/** Metadata entries but for the time are alike for many events, so their bytes are kept. */
const ENTRIES_KEPT_MAX = 1000;

function entry(key: string, value: string): Buffer {
  const writer = new ByteWriter(16 + key.length + value.length * 3);
  const [keySize, valueSize] = [Buffer.byteLength(key), Buffer.byteLength(value)];
  writer.byte(TAG.recorded.metadata);
  writer.varint(field(keySize) + field(valueSize));
  writer.byte(TAG.entry.key);
  writer.varint(keySize);
  writer.text(key, keySize);
  writer.byte(TAG.entry.value);
  writer.varint(valueSize);
  writer.text(value, valueSize);
  return writer.take();
}

const CONTENT_TYPES = { json: entry('content-type', JSON_TYPE), octets: entry('content-type', OCTETS_TYPE) };
const CREATED_PREFIX = Buffer.concat([Buffer.from([TAG.entry.key, 7]), Buffer.from('created'), Buffer.from([TAG.entry.value])]);

/** Sizes of an event's parts, found out before it is written, as lengths stand before contents. */
interface Measured {
  total: number;
  stream: number;
  data: number;
  metadata: number;
  type: Buffer;
  created: string;
  structured: [most: bigint, least: bigint] | undefined;
  id: number;
}

/** Writes `ReadResp` messages. */
export class ReadResponses {
  private readonly types = new Map<string, Buffer>();

  constructor(private readonly writer: ByteWriter) {}

  event(event: StoredEvent<Payload> | undefined, link: StoredEvent<Payload> | undefined, structuredIds: boolean): void {
    const { writer } = this;
    const shown = event && this.measure(event, structuredIds);
    const followed = link && this.measure(link, structuredIds);
    const { position } = (link ?? event)!;
    const inner = (shown ? field(shown.total) : 0) + (followed ? field(followed.total) : 0) + 1 + varintSize(position);
    writer.ensure(inner + HEAD_BYTES_MAX);
    writer.byte(TAG.readResp.event);
    writer.varint(inner);
    if (shown) {
      writer.byte(TAG.readEvent.event);
      this.recorded(event, shown);
    }
    if (followed) {
      writer.byte(TAG.readEvent.link);
      this.recorded(link, followed);
    }
    writer.byte(TAG.readEvent.commitPosition);
    writer.varint(position);
  }

  streamPosition(which: 'first' | 'last', revision: bigint): void {
    this.writer.ensure(1 + varintSizeOf(revision));
    this.writer.byte(which === 'first' ? TAG.readResp.firstStreamPosition : TAG.readResp.lastStreamPosition);
    this.writer.varintOf(revision);
  }

  private measure(event: StoredEvent<Payload>, structuredIds: boolean): Measured {
    const form = structuredIds ? wireUuid(event.id, true).structured : undefined;
    const structured: Measured['structured'] = form && [BigInt(form.most_significant_bits!), BigInt(form.least_significant_bits!)];
    const id = structured ? field(structuredSize(structured)) : field(Buffer.byteLength(event.id));
    const stream = Buffer.byteLength(event.stream);
    const data = sizeOf(event.data);
    const metadata = sizeOf(event.metadata);
    const type = this.typeEntry(event.type);
    // In units of 100 ns, which exceed 2^53.
    const created = `${event.created}0000`;
    const position = 1 + varintSize(event.position);
    const total =
      field(id) +
      field(field(stream)) +
      (event.revision === 0 ? 0 : 1 + revisionSize(event.revision)) +
      2 * position +
      type.length +
      (event.octets ? CONTENT_TYPES.octets : CONTENT_TYPES.json).length +
      field(CREATED_PREFIX.length + 1 + created.length) +
      (metadata === 0 ? 0 : field(metadata)) +
      (data === 0 ? 0 : field(data));
    return { total, stream, data, metadata, type, created, structured, id };
  }

  private typeEntry(type: string): Buffer {
    let known = this.types.get(type);
    if (!known) {
      if (this.types.size >= ENTRIES_KEPT_MAX) this.types.clear();
      known = entry('type', type);
      this.types.set(type, known);
    }
    return known;
  }

  private recorded(event: StoredEvent<Payload>, sizes: Measured): void {
    const { writer } = this;
    writer.varint(sizes.total);
    this.identity(event, sizes);
    if (event.revision !== 0) {
      writer.byte(TAG.recorded.revision);
      if (event.revision === TOMBSTONE_REVISION) writer.varintOf(INT64_MAX);
      else writer.varint(event.revision);
    }
    writer.byte(TAG.recorded.prepare);
    writer.varint(event.position);
    writer.byte(TAG.recorded.commit);
    writer.varint(event.position);
    writer.raw(sizes.type);
    writer.raw(event.octets ? CONTENT_TYPES.octets : CONTENT_TYPES.json);
    writer.byte(TAG.recorded.metadata);
    writer.varint(CREATED_PREFIX.length + 1 + sizes.created.length);
    writer.raw(CREATED_PREFIX);
    writer.varint(sizes.created.length);
    writer.text(sizes.created, sizes.created.length);
    this.payload(TAG.recorded.customMetadata, event.metadata, sizes.metadata);
    this.payload(TAG.recorded.data, event.data, sizes.data);
  }

  /** Id and stream. */
  private identity(event: StoredEvent<Payload>, { id, structured, stream }: Measured): void {
    const { writer } = this;
    writer.byte(TAG.recorded.id);
    writer.varint(id);
    if (structured) {
      writer.byte(TAG.uuid.structured);
      writer.varint(structuredSize(structured));
      writer.byte(TAG.structured.most);
      writer.varintOf(structured[0]);
      writer.byte(TAG.structured.least);
      writer.varintOf(structured[1]);
    } else {
      const size = Buffer.byteLength(event.id);
      writer.byte(TAG.uuid.string);
      writer.varint(size);
      writer.text(event.id, size);
    }
    writer.byte(TAG.recorded.stream);
    writer.varint(field(stream));
    writer.byte(TAG.streamIdentifier.name);
    writer.varint(stream);
    writer.text(event.stream, stream);
  }

  private payload(tag: number, payload: Payload, size: number): void {
    if (size === 0) return;
    this.writer.byte(tag);
    this.writer.varint(size);
    if (typeof payload === 'string') this.writer.text(payload, size);
    else this.writer.raw(payload);
  }
}

function structuredSize([most, least]: [bigint, bigint]): number {
  return 2 + varintSizeOf(most) + varintSizeOf(least);
}

function revisionSize(revision: number): number {
  return revision === TOMBSTONE_REVISION ? varintSizeOf(INT64_MAX) : varintSize(revision);
}
