/** Numbers that follow from a seed alone (a linear congruential generator). */
export class Random {
  constructor(private state: number) {
    this.state = (state % 2_147_483_646) + 1;
  }

  /** From 0 to below a limit. */
  below(limit: number): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state % limit;
  }

  /** True once in so many times. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}
