import type { Durability } from '../embedded/open-engine';
import { openSqliteEngine } from '../embedded/open-engine';
import { payloadCodec, payloadRows } from '../embedded/row-codec';
import { MemoryEngine } from '../memory/memory-engine';
import { EventStore } from './event-store';
import type { NewEvent, Payload } from './stored-event';

export interface EventStoreSource {
  /** Absent: in memory. */
  folder?: string;
  durability?: Durability;
  appendBytesMax?: number;
}

const bytesOf = (events: readonly NewEvent<Payload>[]): number =>
  events.reduce(
    (bytes, { type, data, metadata }) => bytes + Buffer.byteLength(type) + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );

/**
 * The store below the log port: events with any payload, stream metadata, deletion. On the same files as the embedded log.
 * @throws LogLockedError when another process writes to the folder.
 */
export async function openEventStore({ folder, durability, appendBytesMax }: EventStoreSource): Promise<EventStore<Payload>> {
  const options = { codec: payloadCodec, now: Date.now, appendBytesMax };
  if (folder === undefined) return new EventStore(new MemoryEngine<Payload>(bytesOf), { ...options, commit: 'immediate' });
  const engine = await openSqliteEngine({ folder, durability, signals: true }, payloadRows);
  return new EventStore(engine, { ...options, commit: 'grouped', tail: true });
}
