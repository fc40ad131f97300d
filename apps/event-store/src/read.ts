import { PAGE_EVENTS, StreamDeletedError, type EventStore, type Payload, type Revision, type StoredEvent } from '#libs/event-log';
import { readEvent } from './read-event';
import type { ReadRequest, ReadTarget } from './read-request';
import type { ReplyStream } from './reply-stream';
import { streamIdentifier } from './wire/stream-names';

type StreamTarget = Extract<ReadTarget, { kind: 'stream' }>;
type AllTarget = Extract<ReadTarget, { kind: 'all' }>;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sends what the request asks for and ends the call, page by page at the reader's pace. */
export async function answerRead(store: EventStore<Payload>, request: ReadRequest, replies: ReplyStream): Promise<void> {
  const { target } = request;
  const pages = target.kind === 'stream' ? streamPages(store, request, target) : allPages(store, request, target);
  for (const page of pages) {
    if (page === 'not-found') {
      void replies.write({ stream_not_found: { stream_identifier: streamIdentifier((target as StreamTarget).stream) } });
      break;
    }
    for (const event of page) {
      const wait = replies.write({ event: readEvent(store, event, request) });
      if (wait) await wait;
      if (replies.ended) return;
    }
    await turn();
  }
  replies.end();
}

function* streamPages(
  store: EventStore<Payload>,
  request: ReadRequest,
  { stream, from }: StreamTarget,
): Generator<StoredEvent<Payload>[] | 'not-found'> {
  let next: Revision | 'start' | 'end' | undefined = from;
  let left = request.count ?? 0;
  while (next !== undefined) {
    const page = store.readStream(stream, next, Math.min(left, PAGE_EVENTS), request.direction);
    if (page.status === 'deleted') throw new StreamDeletedError(stream);
    if (page.status === 'not-found') {
      yield 'not-found';
      return;
    }
    yield page.events;
    left -= page.events.length;
    next = left > 0 ? page.next : undefined;
  }
}

function* allPages(store: EventStore<Payload>, request: ReadRequest, { from, accept }: AllTarget): Generator<StoredEvent<Payload>[]> {
  const { direction } = request;
  // What is appended while the answer is on its way is no part of it.
  const end = store.lastPosition;
  let at = from === 'start' ? 0 : from === 'end' ? end + 1 : from;
  let left = request.count ?? 0;
  while (left > 0) {
    const page = store.readAll(at, PAGE_EVENTS, direction, accept);
    if (page.scanned === 0) return;
    const wanted = (direction === 'forwards' ? page.events.filter(({ position }) => position <= end) : page.events).slice(0, left);
    yield wanted;
    left -= wanted.length;
    if (direction === 'forwards' && page.last >= end) return;
    at = direction === 'forwards' ? page.last + 1 : page.last;
  }
}
