import type { EventStore, Payload, StoredEvent } from '#libs/event-log';
import { TOMBSTONE_REVISION } from '#libs/event-log';

const LINK_TYPE = '$>';
/** A revision, which may have a sign and space around it, and a stream. */
const LINK = /^[\t-\r ]*([-+]?\d+)[\t-\r ]*@(.*)$/s;
const NUMBER_ALONE = /^[\t-\r ]*[-+]?\d+[\t-\r ]*$/;
const INT64_MAX = 2n ** 63n - 1n;

export interface Resolved {
  /** What is shown: an event that is no link or is not resolved; of a link its target. */
  event?: StoredEvent<Payload>;
  /** The link that was followed. */
  link?: StoredEvent<Payload>;
}

/** The event that a link's data name, as far as a reader of its stream could see it; -1 is the stream's last. */
function targetOf(store: EventStore<Payload>, stream: string, revision: bigint): StoredEvent<Payload> | undefined {
  if (stream === '' || revision < -1n) return undefined;
  const { status, head, first, oldest } = store.view(stream);
  if (status !== 'ok' || head === TOMBSTONE_REVISION) return undefined;
  const wanted = revision === -1n ? head : Number(revision);
  if (wanted < first || wanted > head) return undefined;
  const [found] = store.readEvery(stream, wanted, 1);
  return found?.revision === wanted && (oldest === undefined || found.created >= oldest) ? found : undefined;
}

/** Follows a link to its event. A link to nowhere is shown as a link alone, what is no link as the event that it is. */
export function resolve(store: EventStore<Payload>, event: StoredEvent<Payload>): Resolved {
  if (event.type !== LINK_TYPE) return { event };
  const text = typeof event.data === 'string' ? event.data : Buffer.from(event.data).toString('utf8');
  const [, revision, stream] = LINK.exec(text) ?? [];
  if (revision === undefined || stream === undefined) return NUMBER_ALONE.test(text) ? { link: event } : { event };
  const number = BigInt(revision.replace('+', ''));
  if (number > INT64_MAX || number < -INT64_MAX - 1n) return { event };
  return { link: event, event: targetOf(store, stream, number) };
}
