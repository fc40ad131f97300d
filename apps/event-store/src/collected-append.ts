import { AppendTooLargeError, type AppendResult, type NewEvent, type Payload } from '#libs/event-log';
import { TooMuch } from './invalid-request';
import { newEvent } from './wire/events';
import type { WireProposedMessage } from './wire/messages';

/** What one append may hold besides its data, which have a limit of their own: types and metadata. */
const REST_BYTES_MAX = 64 * 1024 * 1024;

/** Events of one append as they arrive, in one message or many. */
export class CollectedAppend {
  readonly events: NewEvent<Payload>[] = [];
  private dataBytes = 0;
  private restBytes = 0;

  /** @param bytesMax of the data of all events together; types and metadata do not count */
  constructor(private readonly bytesMax: number) {}

  /** @throws AppendTooLargeError, TooMuch, MissingMetadata, InvalidArgument; what was added before stays */
  add(message: WireProposedMessage, oversize: 'refuse' | 'note' = 'refuse'): void {
    this.dataBytes += message.data?.length ?? 0;
    if (oversize === 'refuse') this.assertSize();
    const event = newEvent(message);
    this.restBytes += event.type.length + (message.custom_metadata?.length ?? 0);
    if (this.restBytes > REST_BYTES_MAX) throw new TooMuch(`the metadata of an append exceed ${REST_BYTES_MAX} bytes`);
    this.events.push(event);
  }

  assertSize(): void {
    if (this.dataBytes > this.bytesMax) throw new AppendTooLargeError(this.dataBytes, this.bytesMax);
  }
}

/** `revision` and `position` as the replies of both kinds of append hold them. */
export function successReply({ revision, position }: AppendResult): object {
  return {
    ...(revision === undefined ? { no_stream: {} } : { current_revision: revision }),
    ...(position === undefined ? { no_position: {} } : { position: { commit_position: position, prepare_position: position } }),
  };
}
