import type { RecordedEvent } from '#libs/event-log';
import { isFirstOfAppend, upcast, versionOf, wholeMetadata, type EventMetadata } from '#libs/events';
import type { JsonObject } from '#libs/kernel';

/**
 * Turns the events of a log, in its order, into events as their readers get them: with all of their metadata, of which an append says
 * but once what its events share, and with a payload of the newest version. Only digests are about events as they are stored.
 */
export class EventReader {
  /** The first event of the append that is being read. */
  private first: RecordedEvent | undefined;

  read(event: RecordedEvent): RecordedEvent {
    const { id, type, stream, revision, position, created } = event;
    const metadata = wholeMetadata(event.metadata, stream, this.sharedBy(event));
    const newest = versionOf(type);
    const isOlder = typeof metadata.v === 'number' && metadata.v < newest;
    const data = isOlder ? upcast(type, metadata.v, event.data) : event.data;
    const isAsStored = !isOlder && (metadata as unknown) === event.metadata;
    const shown = (isOlder ? { ...metadata, v: newest } : metadata) as unknown as JsonObject;
    const read = isAsStored ? event : { id, type, data, metadata: shown, stream, revision, position, created };
    if (isFirstOfAppend(event.metadata)) this.first = read;
    return read;
  }

  /** What the append said on its first event. Pages may end inside an append, but nothing lies between its events. */
  private sharedBy({ stream, revision, metadata }: RecordedEvent): EventMetadata | undefined {
    const { first } = this;
    const isOfIt = first?.stream === stream && revision - first.revision === (metadata.i as number) - 1;
    return isOfIt ? (first.metadata as unknown as EventMetadata) : undefined;
  }
}

/** One event read by itself: as EventReader gives it, without what only the first event of its append stores. */
export function current(event: RecordedEvent): RecordedEvent {
  return new EventReader().read(event);
}
