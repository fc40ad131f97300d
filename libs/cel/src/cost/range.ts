/** A least and a most of something. Amounts end at 2⁶⁴, as the unsigned integers of cel-go's estimates do. */
export interface Range {
  min: number;
  max: number;
}

export const unbounded = 2 ** 64;
export const unknownRange: Range = { min: 0, max: unbounded };

const bounded = (amount: number): number => (amount > unbounded || Number.isNaN(amount) ? unbounded : amount);
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : bounded(a * b));

export const exactly = (amount: number): Range => ({ min: amount, max: amount });
export const nothing = exactly(0);

export function add(...ranges: readonly Range[]): Range {
  return ranges.reduce((sum, { min, max }) => ({ min: bounded(sum.min + min), max: bounded(sum.max + max) }), nothing);
}

export function multiply(a: Range, b: Range): Range {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

/** Rounded up. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: bounded(Math.ceil(min * factor)), max: bounded(Math.ceil(max * factor)) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
