import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { TornAppendError } from './append-grouper';
import { AppendReader, type Append } from './append-reader';

export interface ReadAppendsOptions {
  /** From the append that this position lies in, or the first one after it. */
  from?: number;
  /** Appends that end after this position, where an append ends: nothing before it is read but that one event. Goes before `from`. */
  after?: number;
  /** Up to the append that this position lies in. */
  until?: number;
  /** Events read at most: what the last of them are a part of is left out, and nobody is told. */
  eventsMax?: number;
  /** Of the cluster's streams, those whose names begin so; all when absent. */
  streamPrefixes?: readonly string[];
  /** Told of a part of an append, which is then left out. */
  onTorn?: (error: TornAppendError) => void;
}

/**
 * The appends of a cluster's log, oldest first, in pages. No append is cut, whatever position the reading begins or ends at.
 * @throws TornAppendError when the log has a part of an append, naming the position
 */
export async function* readAppends(log: EventLog, cluster: string, options: ReadAppendsOptions = {}): AsyncGenerator<readonly Append[]> {
  const { after, until = Infinity, eventsMax, onTorn } = options;
  const streamPrefixes = options.streamPrefixes ?? [clusterPrefix(cluster)];
  const reader = new AppendReader(onTorn);
  // A real store reads only from positions at which an event is, so one that is known is read once more.
  const from = after === undefined || after === 0 ? (options.from ?? 'start') : after;
  let isFirst = true;
  const filter = { streamPrefixes };
  async function* pages(): AsyncGenerator<readonly RecordedEvent[]> {
    // Where few streams are read, the next event of them may be far behind the end of the stretch: it is not looked for.
    const isBounded = log.readsAnywhere && Number.isFinite(until);
    let last = until;
    for await (const page of log.readAll({ from, until: isBounded ? until : undefined, limit: eventsMax, filter })) {
      last = Math.max(last, page[page.length - 1]?.position ?? 0);
      yield page;
    }
    if (isBounded && eventsMax === undefined && !reader.isWhole) yield* log.readAll({ from: last + 1, filter });
  }
  for await (const page of pages()) {
    const appends: Append[] = [];
    const take = (event: RecordedEvent): void => {
      const append = reader.add(event);
      if (append) appends.push(append);
    };
    for (const event of page) {
      if (after !== undefined && event.position <= after) continue;
      if (isFirst && typeof from === 'number') for (const earlier of await beginningOf(event, log, streamPrefixes)) take(earlier);
      isFirst = false;
      if (event.position > until && reader.isWhole) {
        if (appends.length > 0) yield appends;
        return;
      }
      take(event);
    }
    if (appends.length > 0) yield appends;
  }
  if (eventsMax === undefined) reader.end();
}

/** The events of the same append before one that is not its first. */
async function beginningOf(event: RecordedEvent, log: EventLog, streamPrefixes: readonly string[]): Promise<readonly RecordedEvent[]> {
  const limit = numberOf(event) - 1;
  if (limit <= 0) return [];
  const earlier: RecordedEvent[] = [];
  for await (const page of log.readAll({ direction: 'backwards', from: event.position, limit, filter: { streamPrefixes } }))
    earlier.push(...page);
  return earlier.reverse();
}

/**
 * The appends of a cluster's log, newest first. What of the newest is not written to its end is an error as well.
 * @param before only those that end before this position; all when absent
 * @throws TornAppendError
 */
export async function* readAppendsBackwards(log: EventLog, cluster: string, before?: number): AsyncGenerator<readonly Append[]> {
  const filter = { streamPrefixes: [clusterPrefix(cluster)] };
  /** Of an append whose beginning has not come yet, newest first. */
  let waiting: RecordedEvent[] = [];
  // Where the reading begins inside an append, that one is left out.
  let mayBeCut = before !== undefined;
  for await (const page of log.readAll({ direction: 'backwards', from: before ?? 'end', filter })) {
    const appends: Append[] = [];
    for (const event of page) {
      waiting.push(event);
      if (numberOf(event) > 1) continue;
      const reader = new AppendReader();
      for (const each of waiting.reverse()) {
        const append = reader.add(each);
        if (append) appends.push(append);
      }
      if (!mayBeCut) reader.end();
      mayBeCut = false;
      waiting = [];
    }
    if (appends.length > 0) yield appends;
  }
  const first = waiting[waiting.length - 1];
  if (first) throw new TornAppendError(first, `it begins with event ${numberOf(first)}`);
}

/** The last append of a cluster's log; undefined when there is none. @throws TornAppendError */
export async function lastAppend(log: EventLog, cluster: string): Promise<Append | undefined> {
  for await (const [append] of readAppendsBackwards(log, cluster)) return append;
  return undefined;
}

/** Place of an event in its append, from 1. */
function numberOf({ metadata }: RecordedEvent): number {
  return typeof metadata.i === 'number' ? metadata.i : 1;
}
