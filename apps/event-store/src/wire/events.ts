import { payloadOf, type NewEvent, type Payload } from '#libs/event-log';
import { InvalidArgument, MissingMetadata } from '../invalid-request';
import type { WireProposedMessage } from './messages';
import { uuidText, ZERO_UUID } from './uuid';

export const JSON_TYPE = 'application/json';
export const OCTETS_TYPE = 'application/octet-stream';
const NO_BYTES = new Uint8Array(0);

/** @throws InvalidArgument, MissingMetadata */
export function newEvent(message: WireProposedMessage): NewEvent<Payload> {
  const { metadata = {} } = message;
  const type = metadata['type'];
  const contentType = metadata['content-type'];
  if (type === undefined) throw new MissingMetadata('type');
  if (contentType === undefined) throw new MissingMetadata('content-type');
  const id = uuidText(message.id);
  if (id === ZERO_UUID) throw new InvalidArgument("Empty eventId provided. (Parameter 'eventId')");
  if (type === '') throw new InvalidArgument("Empty eventType provided. (Parameter 'eventType')");
  const event: NewEvent<Payload> = {
    id,
    type,
    data: payloadOf(message.data ?? NO_BYTES),
    metadata: payloadOf(message.custom_metadata ?? NO_BYTES),
  };
  if (contentType !== JSON_TYPE) event.octets = true;
  return event;
}
