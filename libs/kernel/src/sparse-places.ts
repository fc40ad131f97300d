import { countWhile } from './bisect';

/**
 * Places of a log that somebody has come by, in order: all of the newest, and the older the sparser, so that the memory they take is
 * bounded however long the log is.
 */
export class SparsePlaces<T extends { position: number }> {
  private places: T[] = [];

  /** @param placesMax kept at most; beyond it every second of the older half is let go */
  constructor(private readonly placesMax: number) {}

  add(place: T): void {
    const { places } = this;
    const last = places[places.length - 1];
    if (last === undefined || place.position > last.position) places.push(place);
    else {
      const index = countWhile(places, ({ position }) => position <= place.position);
      if (places[index - 1]?.position === place.position) return;
      places.splice(index, 0, place);
    }
    if (places.length > this.placesMax) this.thin();
  }

  /** The last one for which a condition holds that holds for a beginning of the log. */
  last(holds: (place: T) => boolean): T | undefined {
    return this.places[countWhile(this.places, holds) - 1];
  }

  /** The first one later than a position. */
  after(position: number): T | undefined {
    return this.places[countWhile(this.places, (place) => place.position <= position)];
  }

  get size(): number {
    return this.places.length;
  }

  private thin(): void {
    const half = this.places.length >>> 1;
    this.places = this.places.filter((_, i) => i >= half || i % 2 === 0);
  }
}
