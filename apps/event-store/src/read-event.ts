import type { EventStore, Payload, StoredEvent } from '#libs/event-log';
import type { ReadRequest } from './read-request';
import { recordedEvent } from './wire/events';
import type { WireReadEvent } from './wire/messages';

const LINK_TYPE = '$>';
const LINK = /^(\d{1,15})@(.+)$/s;

/** Where a link event points to: its data are `revision@stream`. */
function linkTarget(store: EventStore<Payload>, link: StoredEvent<Payload>): StoredEvent<Payload> | undefined {
  const [, revision, stream] = LINK.exec(typeof link.data === 'string' ? link.data : '') ?? [];
  if (revision === undefined || stream === undefined) return undefined;
  const [found] = store.readStream(stream, Number(revision), 1, 'forwards').events;
  return found?.revision === Number(revision) ? found : undefined;
}

/** An event as a reader gets it; a resolved link brings both, or itself alone when its target is gone. */
export function readEvent(store: EventStore<Payload>, event: StoredEvent<Payload>, request: ReadRequest): WireReadEvent {
  const recorded = recordedEvent(event, request.structuredIds);
  if (!request.resolveLinks || event.type !== LINK_TYPE) return { event: recorded, commit_position: event.position };
  const target = linkTarget(store, event);
  return { link: recorded, event: target && recordedEvent(target, request.structuredIds), commit_position: event.position };
}
