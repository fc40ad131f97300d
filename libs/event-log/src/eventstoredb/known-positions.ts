import type { Position } from '../port';

/** Positions kept at most; beyond it every second of the older half is let go. */
const KNOWN_MAX = 16_384;

/** Positions at which an event is, ascending: all of the newest, and the older the sparser. */
export class KnownPositions {
  private positions: Position[] = [];

  constructor(private readonly max = KNOWN_MAX) {}

  add(position: Position): void {
    const { positions } = this;
    const last = positions[positions.length - 1];
    if (last === undefined || position > last) positions.push(position);
    else {
      const place = this.placeAfter(position);
      if (positions[place - 1] === position) return;
      positions.splice(place, 0, position);
    }
    if (positions.length > this.max) this.thin();
  }

  /** The last one at or before a position. */
  floor(position: Position): Position | undefined {
    return this.positions[this.placeAfter(position) - 1];
  }

  /** The first one after a position. */
  after(position: Position): Position | undefined {
    return this.positions[this.placeAfter(position)];
  }

  /** Where the first position greater than this one is. */
  private placeAfter(position: Position): number {
    let low = 0;
    let high = this.positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.positions[middle]! <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private thin(): void {
    const half = this.positions.length >>> 1;
    this.positions = this.positions.filter((_, i) => i >= half || i % 2 === 0);
  }
}
