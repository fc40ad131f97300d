const unitsMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const grammar = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const part = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
/** Longest duration that an annotation may give: ten years. */
const durationMaxMs = 10 * 365 * 24 * 3_600_000;

/** `2s`, `1m30s`, `250ms`, or a bare number of seconds, as milliseconds; undefined for anything else. */
export function parseDuration(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 40) return undefined;
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return bounded(Number(trimmed) * 1_000);
  if (!grammar.test(trimmed)) return undefined;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(part)) total += Number(amount) * (unitsMs[unit as string] as number);
  return bounded(total);
}

function bounded(ms: number): number {
  return Math.min(Math.round(ms), durationMaxMs);
}

/** Whole seconds as Go prints a Duration: `40s`, `1m20s`, `5m0s`, `1h0m0s`. */
export function formatSeconds(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
