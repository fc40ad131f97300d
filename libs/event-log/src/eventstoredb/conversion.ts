import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { EventLogError } from '../errors';
import type { EventToAppend, Position, RecordedEvent, Revision } from '../port';

/** An event as the official client gives it. */
export interface ClientEvent {
  streamId: string;
  id: string;
  revision: bigint;
  type: string;
  data: unknown;
  metadata?: unknown;
  isJson: boolean;
  created: Date;
  position?: { commit: bigint; prepare: bigint };
}

/** What the client's reads and subscriptions give; the event is absent where a link's target is gone. */
export interface Resolved {
  event?: ClientEvent;
  commitPosition?: bigint;
}

/** @throws EventLogError for what a number cannot hold exactly */
function exact(value: bigint, what: string): number {
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) throw new EventLogError(`${what} ${value} is out of range`);
  return Number(value);
}

export function revisionOf(revision: bigint): Revision {
  return exact(revision, 'revision');
}

export function positionOf(commit: bigint): Position {
  return exact(commit, 'position');
}

/** Commit and prepare position of an event written by a single append are the same. */
export function clientPosition(position: Position): { commit: bigint; prepare: bigint } {
  return { commit: BigInt(position), prepare: BigInt(position) };
}

/** What is no JSON object appears as `{ $base64 }`, as in the embedded log. */
function objectOf(value: unknown): JsonObject {
  if (value === undefined || value === '') return {};
  if (isObject(value) && !(value instanceof Uint8Array)) return value;
  const bytes =
    value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value as Json));
  return bytes.length === 0 ? {} : { $base64: bytes.toString('base64') };
}

/** @throws EventLogError when the server does not tell positions on stream reads, which those before 22.6 do not */
export function recordedEvent(event: ClientEvent): RecordedEvent {
  if (!event.position) throw new EventLogError(`the event store gives no position for event ${event.id} of ${event.streamId}`);
  return {
    id: event.id,
    type: event.type,
    data: objectOf(event.data),
    metadata: objectOf(event.metadata),
    stream: event.streamId,
    revision: revisionOf(event.revision),
    position: positionOf(event.position.commit),
    created: event.created.getTime(),
  };
}

export interface ClientEventToAppend {
  id: string;
  type: string;
  contentType: 'application/json';
  data: JsonObject;
  metadata: JsonObject;
}

export function clientEvent({ id, type, data, metadata }: EventToAppend): ClientEventToAppend {
  return { id, type, contentType: 'application/json', data, metadata };
}
