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
}

/**
 * Distance of two positions. Those of a real server are byte offsets, so that no two are close together; here an event counts as so many
 * bytes.
 */
const POSITION_STRIDE_SERVED = 256;
/** A real server has no limit of its own; this keeps a name well below a message's size. */
const STREAM_NAME_MAX = 1024 * 1024;

const bytesOf = (events: readonly NewEvent<Payload>[]): number =>
  events.reduce(
    (bytes, { type, data, metadata }) => bytes + Buffer.byteLength(type) + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );

/**
 * The store below the log port: events with any payload, stream metadata, deletion. On the same files as the embedded log.
 * @throws LogLockedError when another process writes to the folder.
 */
export async function openEventStore({ folder, durability }: EventStoreSource): Promise<EventStore<Payload>> {
  const options = {
    codec: payloadCodec,
    now: Date.now,
    // The server has limits of its own: real ones count the data of an append only.
    appendBytesMax: Infinity,
    positionStride: POSITION_STRIDE_SERVED,
    emptyAppendsTakePositions: true,
    streamNameMax: STREAM_NAME_MAX,
  };
  if (folder === undefined) return new EventStore(new MemoryEngine<Payload>(bytesOf), { ...options, commit: 'immediate' });
  const engine = await openSqliteEngine({ folder, durability, signals: true }, payloadRows);
  return new EventStore(engine, { ...options, commit: 'grouped', tail: true });
}
