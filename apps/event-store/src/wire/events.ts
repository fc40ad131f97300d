import { payloadOf, TOMBSTONE_REVISION, type NewEvent, type Payload, type StoredEvent } from '#libs/event-log';
import { MissingMetadata } from '../invalid-request';
import type { WireProposedMessage, WireRecordedEvent } from './messages';
import { streamIdentifier } from './stream-names';
import { uuidText, wireUuid } from './uuid';

const JSON_TYPE = 'application/json';
const OCTETS_TYPE = 'application/octet-stream';
const INT64_MAX = '9223372036854775807';
const NO_BYTES = new Uint8Array(0);

/** @throws InvalidArgument, MissingMetadata */
export function newEvent(message: WireProposedMessage): NewEvent<Payload> {
  const type = message.metadata?.['type'];
  const contentType = message.metadata?.['content-type'];
  if (!type || !contentType) throw new MissingMetadata();
  const event: NewEvent<Payload> = {
    id: uuidText(message.id, 'event id'),
    type,
    data: payloadOf(message.data ?? NO_BYTES),
    metadata: payloadOf(message.custom_metadata ?? NO_BYTES),
  };
  if (contentType !== JSON_TYPE) event.octets = true;
  return event;
}

const bytesOf = (payload: Payload): Uint8Array => (typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload);

export function recordedEvent(event: StoredEvent<Payload>, structuredIds: boolean): WireRecordedEvent {
  return {
    id: wireUuid(event.id, structuredIds),
    stream_identifier: streamIdentifier(event.stream),
    stream_revision: event.revision === TOMBSTONE_REVISION ? INT64_MAX : event.revision,
    prepare_position: event.position,
    commit_position: event.position,
    metadata: {
      type: event.type,
      'content-type': event.octets ? OCTETS_TYPE : JSON_TYPE,
      // In units of 100 ns, which exceed 2^53.
      created: `${event.created}0000`,
    },
    custom_metadata: bytesOf(event.metadata),
    data: bytesOf(event.data),
  };
}
