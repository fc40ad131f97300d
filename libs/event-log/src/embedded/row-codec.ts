import { isObject, type JsonObject } from '#libs/kernel';
import { isUtf8 } from 'node:buffer';
import type { Payload, PayloadCodec } from '../store/stored-event';

/** How an engine that stores text and bytes turns payloads into them and back. */
export interface RowCodec<P> {
  encode(payload: P): Payload;
  decode(stored: Payload): P;
}

/**
 * Payloads that are no JSON objects, which only foreign programs write, appear as `{ $base64 }`, so that a reader of all
 * events can pass over them.
 */
function jsonObjectOf(stored: Payload): JsonObject {
  if (stored.length === 0) return {};
  if (typeof stored === 'string') {
    try {
      const value: unknown = JSON.parse(stored);
      if (isObject(value)) return value;
    } catch {
      // Not JSON: shown as bytes below.
    }
  }
  return { $base64: Buffer.from(stored as string).toString('base64') };
}

export const jsonRows: RowCodec<JsonObject> = {
  encode: (payload) => JSON.stringify(payload),
  decode: jsonObjectOf,
};

/** Text where the bytes are UTF-8 without NUL (so that SQLite tools show it), bytes otherwise; the same bytes either way. */
export function payloadOf(bytes: Uint8Array): Payload {
  return isUtf8(bytes) && !bytes.includes(0) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : bytes;
}

export const payloadRows: RowCodec<Payload> = { encode: (payload) => payload, decode: (stored) => stored };

export const payloadCodec: PayloadCodec<Payload> = {
  text: (payload) => (typeof payload === 'string' ? payload : Buffer.from(payload).toString('utf8')),
  ofJsonText: (text) => text,
  empty: '',
};
