import { lastAppendThat, placeOf, readAppends, type Place } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import { SparsePlaces } from '#libs/kernel';
import type { Past } from '#libs/past';

/** Places kept at most. */
const landmarksMax = 8_192;

/**
 * Where in the log which cluster time is. A moment is found by reading on from the place before it; nobody asks a store for
 * positions at which no event may be.
 */
export class Landmarks {
  private readonly places = new SparsePlaces<Place>(landmarksMax);

  constructor(
    private readonly log: EventLog,
    private readonly cluster: string,
    /** Knows some places from before this process began. */
    private readonly past: Past,
  ) {}

  /** An append ends at this position, at this cluster time, ms. */
  note(position: number, time: number): void {
    this.places.add({ position, time });
  }

  /** The last append that is from a time or before; undefined when all are later. */
  lastUpTo(time: number, head: number): Promise<Place | undefined> {
    return this.last((place) => place.position <= head && place.time <= time, this.past.placeUpTo(time));
  }

  /** The last append up to a position. */
  at(position: number): Promise<Place | undefined> {
    return this.last((place) => place.position <= position, this.past.placeAt(position));
  }

  /** Position of the event of an id, where that is known without reading the log. */
  positionOf(id: string): Promise<number | undefined> {
    return this.past.positionOf(id);
  }

  /** The first append of the log. */
  async first(): Promise<Place | undefined> {
    for await (const [append] of readAppends(this.log, this.cluster)) return append && placeOf(append);
    return undefined;
  }

  /** The last one before which, and with which, a condition holds. */
  private last(holds: (place: Place) => boolean, kept: Place | undefined): Promise<Place | undefined> {
    const { log, cluster, places } = this;
    if (kept && holds(kept)) places.add({ position: kept.position, time: kept.time });
    const forgotten = log.history?.forgotten ?? 0;
    const found = places.last(holds);
    const known = found !== undefined && found.position > forgotten ? found : undefined;
    const before = places.after(known?.position ?? forgotten)?.position;
    return lastAppendThat(log, cluster, holds, { known, before, noted: (place) => places.add(place) });
  }
}
