/** What asking one rule may cost at most, by estimate, and asking all rules of a schema; in cel-go's units. */
export const ruleCostMax = 10_000_000;
export const schemaCostMax = 100_000_000;

/** Of a schema that costs too much as a whole, so many of its rules are named. */
const namedMax = 4;
const uint64Max = 2 ** 64;

/** Counts as far as 64 bits do. */
export function saturatedProduct(cost: number, count: number): number {
  return cost === 0 ? 0 : Math.min(cost * count, uint64Max);
}

/** What all rules of a schema may cost together. */
export class TotalCost {
  private sum = 0;
  private dearest: { field: string; cost: number }[] = [];

  get total(): number {
    return this.sum;
  }

  /** Those that cost a hundredth or more of what a schema may, dearest first. */
  get mostExpensive(): readonly string[] {
    return this.dearest.map(({ field }) => field);
  }

  add(field: string, cost: number): void {
    this.sum = Math.min(this.sum + cost, uint64Max);
    if (cost < schemaCostMax / 100) return;
    this.dearest = [...this.dearest, { field, cost }].sort((a, b) => b.cost - a.cost).slice(0, namedMax);
  }
}

/** `… exceeds budget by factor of 2.5x (try …)` */
export function costText(name: string, cost: number, most: number): string {
  const factor = cost / most;
  const times = factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  const advice = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${name} exceeds budget by factor of ${times}x (${advice})`;
}
