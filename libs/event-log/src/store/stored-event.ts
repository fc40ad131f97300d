import type { Position, Revision } from '../port';

/** What a store keeps of an event's data or metadata when it must not look inside: text where it is UTF-8, else bytes. */
export type Payload = string | Uint8Array;

/** An event on its way in. `P` is the payload: objects for the log port, text or bytes for the server. */
export interface NewEvent<P> {
  id: string;
  type: string;
  data: P;
  metadata: P;
  /** The writer declared the data to be bytes (`application/octet-stream`); absent: JSON. */
  octets?: true;
}

export interface StoredEvent<P> extends NewEvent<P> {
  stream: string;
  revision: Revision;
  position: Position;
  /** Real time of writing, ms since the epoch. */
  created: number;
}

/** How the store reads and writes the JSON of stream metadata, the only content it looks into. */
export interface PayloadCodec<P> {
  /** As text, digit by digit as it was written where it was written as text. */
  text(payload: P): string;
  ofJsonText(text: string): P;
  /** What an event without data or metadata has. */
  readonly empty: P;
}

/** Revision of the event that closes a stream for good; on the wire it is the largest int64. */
export const TOMBSTONE_REVISION: Revision = Number.MAX_SAFE_INTEGER;
export const TOMBSTONE_TYPE = '$streamDeleted';
export const METADATA_TYPE = '$metadata';

const DOLLAR = 36;

/** System events are those of `$…` streams and those whose type begins with `$`. */
export function isSystemEvent(stream: string, type: string): boolean {
  return stream.charCodeAt(0) === DOLLAR || type.charCodeAt(0) === DOLLAR;
}
