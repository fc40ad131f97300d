const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
export type DurationUnit = keyof typeof unitsMs;

const grammar = /^(?:\d{1,12}(?:\.\d{1,9})?(?:ms|s|m|h|d)){1,5}$/;

/** `2s`, `1m30s`, `250ms`, `1d`, as milliseconds; undefined for anything else. @param except units that are not meant */
export function parseDuration(text: string, except: readonly DurationUnit[] = []): number | undefined {
  if (!grammar.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    if (except.includes(unit as DurationUnit)) return undefined;
    ms += Number(amount) * unitsMs[unit as DurationUnit];
  }
  return ms;
}

/** A duration as Go writes it: `15m0s`, `1.5s`, `250ms`. */
export function goDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 1_000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${(ms % 60_000) / 1_000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
