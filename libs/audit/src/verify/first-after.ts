/** Index of the first entry behind the position; they are in the order of their positions. */
export function firstAfter(entries: readonly { position: number }[], position: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as { position: number }).position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
