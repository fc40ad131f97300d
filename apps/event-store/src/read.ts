import { PAGE_EVENTS, StreamDeletedError, type EventStore, type Payload, type StoredEvent } from '#libs/event-log';
import { EventSender, type Replies } from './event-sender';
import { InvalidArgument, UnexpectedResult } from './invalid-request';
import type { AllTarget, ReadRequest, StreamTarget } from './read-request';
import type { Protocol } from './wire/protocol';
import { streamIdentifier } from './wire/stream-names';

/** A real server looks at so many events of a stream at a time; where nothing is there at first shows in what it tells. */
const PAGE_REVISIONS = 32n;

const turn = (): Promise<void> => new Promise((resolve_) => setImmediate(resolve_));

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Sends what the request asks for, page by page at the reader's pace, and ends the call. */
export async function answerRead(store: EventStore<Payload>, request: ReadRequest, replies: Replies, protocol: Protocol): Promise<void> {
  const sender = new EventSender(store, request, replies);
  const { target } = request;
  const pages = target.kind === 'stream' ? streamPages(store, request, target, sender) : allPages(store, request, target);
  for (const page of pages) {
    if (page === 'not-found') {
      const { stream } = target as StreamTarget;
      void sender.encoded(protocol.readResponse({ stream_not_found: { stream_identifier: streamIdentifier(stream) } }));
      break;
    }
    for (const event of page) {
      const wait = sender.event(event);
      if (wait) await wait;
      if (replies.over) return;
    }
    const wait = sender.flush();
    if (wait) await wait;
    await turn();
  }
  void sender.flush();
  replies.end();
}

type Pages = Generator<StoredEvent<Payload>[] | 'not-found'>;

function* streamPages(store: EventStore<Payload>, request: ReadRequest, target: StreamTarget, sender: EventSender): Pages {
  const { stream } = target;
  const { direction, count = 0n, tellsEnds } = request;
  const forwards = direction === 'forwards';
  if (count === 0n || (forwards && target.from === 'end')) throw new UnexpectedResult('Unexpected ReadStreamResult: Error');
  const { status, head } = store.view(stream);
  if (status === 'deleted') throw new StreamDeletedError(stream);
  if (status === 'not-found') {
    yield 'not-found';
    return;
  }
  const from = target.from === 'start' ? 0n : target.from === 'end' ? BigInt(head) : target.from;
  let next: number | undefined = forwards
    ? beginning(store, stream, lesser(PAGE_REVISIONS, count), from, tellsEnds ? sender : undefined)
    : clamped(from);
  let left = clamped(count);
  while (next !== undefined) {
    const page = store.readStream(stream, next, Math.min(left, PAGE_EVENTS), direction);
    if (page.status === 'deleted') throw new StreamDeletedError(stream);
    yield page.events;
    left -= page.events.length;
    next = left > 0 ? page.next : undefined;
  }
  if (tellsEnds) sender.streamPosition('last', BigInt(Math.max(0, store.view(stream).head)));
}

function clamped(value: bigint): number {
  return Number(lesser(value, BigInt(Number.MAX_SAFE_INTEGER)));
}

/**
 * Where the first event is that a reader from a revision on may see; undefined: there is none. Told on the way is, as often as a
 * real server finds a page empty, where it goes on.
 */
function beginning(
  store: EventStore<Payload>,
  stream: string,
  pageRevisions: bigint,
  from: bigint,
  teller: EventSender | undefined,
): number | undefined {
  const { head, lowest, oldest } = store.view(stream);
  const end = BigInt(head) + 1n;
  let at = from;
  const goOn = (next: bigint): void => {
    if (next !== at) teller?.streamPosition('first', next);
    at = next;
  };
  if (at + pageRevisions <= lowest) goOn(lowest);
  if (larger(at, lowest) >= end) {
    goOn(end);
    return undefined;
  }
  const start = Number(larger(at, lowest));
  if (oldest === undefined) return start;
  const young = firstSince(store, stream, start, head, oldest);
  if (BigInt(young) < at + pageRevisions && young <= head) return start;
  goOn(BigInt(young));
  return young > head ? undefined : young;
}

/** The first revision from `low` on that was written since a time; the one after `high` when there is none. */
function firstSince(store: EventStore<Payload>, stream: string, low: number, high: number, oldest: number): number {
  let [from, to] = [low, high + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const [event] = store.readEvery(stream, middle, 1);
    if (event && event.created < oldest) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * A place in `$all` as a number; a position must be one of an event, or for going forwards one beyond all.
 * @throws UnexpectedResult in the words of a real server, as clients know them
 */
function positionOf(store: EventStore<Payload>, { direction }: ReadRequest, { from, accept }: AllTarget): number {
  const end = store.lastPosition;
  if (from === 'start' || from === 0n) return 0;
  if (from === 'end') return end + 1;
  const beyond = from > BigInt(end);
  if (beyond && direction === 'forwards') return end + 1;
  if (beyond || !isPosition(store, Number(from))) throw new UnexpectedResult(`Unexpected ${accept ? 'Filtered' : ''}ReadAllResult: Error`);
  return Number(from);
}

/** Whether an event is at the position. */
export function isPosition(store: EventStore<Payload>, position: number): boolean {
  return store.readAll(position, 1, 'forwards').events[0]?.position === position;
}

function* allPages(store: EventStore<Payload>, request: ReadRequest, target: AllTarget): Generator<StoredEvent<Payload>[]> {
  const { direction, count = 0n } = request;
  // A real server never answers this.
  if (count === 0n) throw new InvalidArgument('a read of $all is of one event or more, not of none');
  // What is appended while the answer is on its way is no part of it.
  const end = store.lastPosition;
  let at = positionOf(store, request, target) + (target.leavesOutFirst && direction === 'forwards' ? 1 : 0);
  let left = clamped(count);
  while (left > 0) {
    const page = store.readAll(at, PAGE_EVENTS, direction, target.accept);
    if (page.scanned === 0) return;
    const wanted = (direction === 'forwards' ? page.events.filter(({ position }) => position <= end) : page.events).slice(0, left);
    yield wanted;
    left -= wanted.length;
    if (direction === 'forwards' && page.last >= end) return;
    at = direction === 'forwards' ? page.last + 1 : page.last;
  }
}
