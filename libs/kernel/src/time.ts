/** Milliseconds since the epoch as `metav1.Time`: RFC 3339, UTC, whole seconds. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  const place = second & (secondsKept - 1);
  if (keptSeconds[place] === second) return keptTexts[place] as string;
  const text = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  keptSeconds[place] = second;
  keptTexts[place] = text;
  return text;
}

/**
 * Seconds written out lately, a power of two: events come many to a second, each is stamped several times, and a status names the same few
 * seconds each time that it is written.
 */
const secondsKept = 256;
const keptSeconds = new Array<number | undefined>(secondsKept).fill(undefined);
const keptTexts = new Array<string>(secondsKept).fill('');

/** Milliseconds since the epoch as `metav1.MicroTime`: always six digits. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

/** Milliseconds since the epoch of an RFC 3339 text; undefined when it is none. */
export function parseTime(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Seconds that a Go `time.Duration` holds, 292 years. */
const durationSecondsMax = 9_223_372_036;

/** Seconds as milliseconds, as Go has them: more than a duration holds begins anew at its other end. */
export function durationMs(seconds: number): number {
  if (Math.abs(seconds) <= durationSecondsMax) return seconds * 1000;
  return Number(BigInt.asIntN(64, BigInt(Math.trunc(seconds)) * 1_000_000_000n) / 1_000_000n);
}
