import type { HandingOver } from './resource-feed';

/** While much happens, changes are handed over this often at most, ms. */
const everyMs = 2;

/**
 * Changes of one turn of the event loop are handed over together at its end, and those of bursts every other millisecond: each watcher is then
 * written to once and not for each change.
 */
export function handOverSoon(): HandingOver {
  let last = Number.NEGATIVE_INFINITY;
  return (handOver) => {
    const run = (): void => {
      last = performance.now();
      handOver();
    };
    if (performance.now() - last < everyMs) setTimeout(run, everyMs);
    else setImmediate(run);
  };
}
