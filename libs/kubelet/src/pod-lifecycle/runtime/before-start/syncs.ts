import { derivedIndex } from '#libs/kernel';

/** A sync that has failed is repeated after this time, and up to half as much more by chance (kubelet `backOffPeriod` with its jitter). */
const retryMs = 10_000;
const jitterMs = retryMs / 2;

/** The waits between the syncs of a pod that fail, from a moment on (ms): the same each time they are asked for. */
export function retryWaits(uid: string, from: number): (attempt: number) => number {
  const seed = derivedIndex(`${uid}/syncs/${from}`, 2 ** 32);
  return (attempt) => retryMs + (mixed(seed + attempt) % jitterMs);
}

/** Spreads whole numbers evenly over 32 bits: a day of failed syncs is gone through at each look. */
function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return (bits ^ (bits >>> 16)) >>> 0;
}
