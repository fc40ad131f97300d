/** Draws of one request: they follow from the seed and its number alone (xorshift over a mixed start). */
export class Draw {
  private state: number;

  constructor(seed: number, index: number) {
    // Neighbouring numbers must not have neighbouring draws.
    let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
    this.state = mixed ^ (mixed >>> 16) || 1;
  }

  /** From 0 to below a bound. */
  index(bound: number): number {
    let { state } = this;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.state = state;
    return (state >>> 0) % bound;
  }

  oneIn(count: number): boolean {
    return this.index(count) === 0;
  }

  of<T>(items: readonly T[]): T {
    return items[this.index(items.length)] as T;
  }
}
