// Recorded messages to and from the wire, by the protocol's own definitions.
import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import type { Message } from '../recording';

const PROTO_FOLDER = join(__dirname, '../../../../apps/event-store/src/proto');
const PACKAGES: Record<string, string> = {
  Streams: 'event_store.client.streams.Streams',
  Gossip: 'event_store.client.gossip.Gossip',
  ServerFeatures: 'event_store.client.server_features.ServerFeatures',
};

/** Members of a `oneof`: they are there although they hold their type's default. */
const CHOSEN = new Set([
  'first_stream_position',
  'last_stream_position',
  'current_revision',
  'expected_revision',
  'current_stream_revision',
  'expected_stream_position',
  'stream_position',
  'string',
]);
/** Longer bytes are recorded as their digest. */
const BYTES_SHOWN_MAX = 4096;
const DIGEST_LENGTH = 32;

let loaded: PackageDefinition | undefined;

function definitions(): PackageDefinition {
  loaded ??= loadSync(['streams.proto', 'gossip.proto', 'server-features.proto'], {
    includeDirs: [PROTO_FOLDER],
    keepCase: true,
    longs: String,
    enums: String,
  });
  return loaded;
}

/** A method that our protocol files describe; undefined: a service that is not served. */
export function methodOf(call: string): MethodDefinition<object, object> | undefined {
  const [service = '', method = ''] = call.split('.');
  return (definitions()[PACKAGES[service] ?? ''] as ServiceDefinition | undefined)?.[method] as
    MethodDefinition<object, object> | undefined;
}

/** The path of a call, also of one that our protocol files do not describe. */
export function pathOf(call: string): string {
  const [service = '', method = ''] = call.split('.');
  const snake = service.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  return methodOf(call)?.path ?? `/${PACKAGES[service] ?? `event_store.client.${snake}.${service}`}/${method}`;
}

const BYTES_FIELDS = new Set(['stream_name', 'data', 'custom_metadata']);

function bytesOf(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  const { base64, fill, size } = value as { base64?: string; fill?: string; size?: number };
  return base64 === undefined ? Buffer.alloc(size ?? 0, fill ?? '') : Buffer.from(base64, 'base64');
}

function structuredOf(text: string): object {
  const half = (from: number): string => BigInt.asIntN(64, BigInt(`0x${text.replaceAll('-', '').slice(from, from + 16)}`)).toString();
  return { most_significant_bits: half(0), least_significant_bits: half(16) };
}

/** @param substitute the value of a symbol, or the text itself */
function toWire(value: unknown, substitute: (text: string) => string): unknown {
  if (typeof value === 'string') return substitute(value);
  if (Array.isArray(value)) return value.map((item) => toWire(item, substitute));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      if (BYTES_FIELDS.has(key)) return [key, bytesOf(field)];
      if (key === 'structured' && typeof field === 'string') return [key, structuredOf(field)];
      return [key, toWire(field, substitute)];
    }),
  );
}

export function encode(call: string, message: Message, substitute: (text: string) => string): Buffer {
  return methodOf(call)?.requestSerialize(toWire(message, substitute) as object) ?? Buffer.alloc(0);
}

function shownBytes(bytes: Uint8Array): unknown {
  if (bytes.length > BYTES_SHOWN_MAX) {
    return { sha256: createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_LENGTH), size: bytes.length };
  }
  return isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : { base64: Buffer.from(bytes).toString('base64') };
}

function uuidOf({ most_significant_bits: most = '0', least_significant_bits: least = '0' }: Record<string, string>): string {
  const hex = [most, least].map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Codes of google.rpc as the recordings write them. */
const CODES: Record<number, string> = {
  3: 'INVALID_ARGUMENT',
  4: 'DEADLINE_EXCEEDED',
  5: 'NOT_FOUND',
  6: 'ALREADY_EXISTS',
  7: 'PERMISSION_DENIED',
  13: 'INTERNAL',
  14: 'UNAVAILABLE',
};

function anyOf({ type_url: url = '', value = new Uint8Array() }: { type_url?: string; value?: Uint8Array }): Message {
  const type = url.slice(url.lastIndexOf('/') + 1);
  const definition = definitions()[type] as unknown as { deserialize?: (bytes: Buffer) => object } | undefined;
  const fields = definition?.deserialize ? fromWire(definition.deserialize(Buffer.from(value))) : {};
  return { '@type': type, ...(fields as Message) };
}

function isDefault(key: string, value: unknown): boolean {
  if (CHOSEN.has(key)) return false;
  return value === '' || value === '0' || value === 0 || value === false || (Array.isArray(value) && value.length === 0);
}

function fromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromWire);
  if (value instanceof Uint8Array) return shownBytes(value);
  if (typeof value !== 'object' || value === null) return value;
  const shown: Message = {};
  for (const [key, field] of Object.entries(value as Message)) {
    if (key === 'structured') shown[key] = uuidOf(field as Record<string, string>);
    else if (key === 'details' && typeof field === 'object') shown[key] = anyOf(field as object);
    else if (key === 'code' && typeof field === 'number') shown[key] = CODES[field] ?? field;
    else if (key === 'metadata') shown[key] = field;
    else {
      const converted = fromWire(field);
      if (!isDefault(key, converted)) shown[key] = converted;
    }
  }
  return shown;
}

/** A response as the recordings write it; bytes of a service that is not described stay bytes. */
export function decode(call: string, bytes: Buffer): Message {
  const method = methodOf(call);
  return method ? (fromWire(method.responseDeserialize(bytes)) as Message) : { bytes: bytes.toString('base64') };
}
