import { POSITION_STRIDE, type EventLog } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import type { Append } from './append-reader';
import { readAppends } from './read-appends';

/** Appends that are looked through one after the other, rather than halving the stretch once more. */
const stretchMin = 64 * POSITION_STRIDE;
/** Events read at once where a stretch is looked through. */
const eventsLeftMax = 64;
/** Events read to find one append; longer ones are read whole in a second attempt. */
const fewEvents = 16;

/** The position and time of an append. */
export interface Place {
  /** Of its last event. */
  position: number;
  /** Cluster time, ms. */
  time: number;
}

/** Where an append ends. */
export function placeOf(append: Append): Place {
  const last = append[append.length - 1] as Append[number];
  return { position: last.position, time: last.metadata.time as number };
}

export interface FindOptions {
  /** A place that it holds for, with an event at its position; nothing before it is looked at. */
  known?: Place;
  /** A position that it no longer holds for, if one is known. */
  before?: number;
  /** Told of the places that were come by. */
  noted?: (place: Place) => void;
}

/**
 * The last append that a condition holds for, where it holds for a beginning of the log and for nothing after it.
 * A log that can be read from anywhere is halved again
 * and again; others are read on from the place that is known.
 * @param holds true for a beginning of the log, as positions and cluster times do, false for the rest
 */
export async function lastAppendThat(
  log: EventLog,
  cluster: string,
  holds: (place: Place) => boolean,
  { known, before, noted }: FindOptions = {},
): Promise<Place | undefined> {
  let last = known;
  if (log.readsAnywhere) {
    let high = before ?? (await log.head({ streamPrefixes: [clusterPrefix(cluster)] })) ?? 0;
    while (high - (last?.position ?? 0) > stretchMin) {
      const middle = Math.floor(((last?.position ?? 0) + high) / 2);
      const append = await appendFrom(log, cluster, middle);
      const place = append && placeOf(append);
      if (place) noted?.(place);
      if (place && place.position > (last?.position ?? 0) && holds(place)) last = place;
      else high = middle;
    }
  }
  // A page of a store is longer than what is left to look through.
  for (let eventsMax = log.readsAnywhere ? eventsLeftMax : undefined; ;) {
    const before = last?.position;
    for await (const appends of readAppends(log, cluster, { after: before, eventsMax })) {
      for (const append of appends) {
        const place = placeOf(append);
        if (!holds(place)) return last;
        last = place;
      }
      if (last) noted?.(last);
    }
    if (eventsMax === undefined) return last;
    if (last?.position === before) eventsMax = undefined;
  }
}

/** The append that a position lies in, or the first one after it. */
async function appendFrom(log: EventLog, cluster: string, from: number): Promise<Append | undefined> {
  for (const eventsMax of [fewEvents, undefined]) {
    for await (const [append] of readAppends(log, cluster, { from, eventsMax })) return append;
  }
  return undefined;
}
