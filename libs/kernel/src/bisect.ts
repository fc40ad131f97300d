/**
 * How many items at the beginning of an ordered list a condition holds for: the place of the first for which it does not.
 * @param holds true for a beginning of the list (none, a part or all of it), false for the rest
 */
export function countWhile<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
