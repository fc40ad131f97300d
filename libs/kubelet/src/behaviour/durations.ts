import { parseDuration } from '#libs/kernel';

/** Longest duration that an annotation may give: ten years. */
const durationMaxMs = 10 * 365 * 24 * 3_600_000;

/** What an annotation says: `2s`, `1m30s`, `250ms`, or a bare number of seconds, as milliseconds; undefined for anything else. */
export function annotatedDuration(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 40) return undefined;
  const trimmed = text.trim();
  const ms = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1_000 : parseDuration(trimmed, ['d']);
  return ms === undefined ? undefined : Math.min(Math.round(ms), durationMaxMs);
}
