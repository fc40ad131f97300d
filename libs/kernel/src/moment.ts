import { parseDuration } from './duration';

/** What a user may call a moment of a log by: the one notation of `/at/<when>/`, `log --since` and their like. */
export type NamedMoment =
  /** A resourceVersion. */
  | { kind: 'position'; position: number }
  /** Milliseconds since the epoch. */
  | { kind: 'time'; time: number }
  /** The latest such moment; milliseconds after midnight, UTC. */
  | { kind: 'time-of-day'; ofDayMs: number; text: string }
  /** Just before the append that this event is part of. */
  | { kind: 'before'; id: string };

export const momentNotation = 'a resourceVersion, a time (RFC 3339, or HH:MM[:SS] in UTC), -5m, or before:EVENT-ID';

const dayMs = 86_400_000;
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;

/**
 * Digits are a resourceVersion; otherwise RFC 3339, `-5m` or `5m` (before now), `before:EVENT-ID`, or a time of day in UTC,
 * `HH:MM[:SS[.mmm]]`.
 * @param now ms since the epoch
 * @returns undefined when the words are none of these
 */
export function parseMoment(text: string, now: number): NamedMoment | undefined {
  if (/^\d{1,15}$/.test(text)) return { kind: 'position', position: Number(text) };
  const id = /^before:(.+)$/.exec(text)?.[1];
  if (id !== undefined) return { kind: 'before', id };
  const ago = parseDuration(text.replace(/^-/, ''));
  if (ago !== undefined) return { kind: 'time', time: now - ago };
  const ofDay = clock.exec(text);
  if (ofDay) return timeOfDay(text, ofDay.slice(1));
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : { kind: 'time', time };
}

function timeOfDay(
  text: string,
  [hours = '0', minutes = '0', seconds = '0', fraction = '0']: (string | undefined)[],
): NamedMoment | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const ofDayMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'));
  return { kind: 'time-of-day', ofDayMs, text };
}

/** Every moment of that time of day from `begins` to `now`, latest first, at most `daysMax` of them. */
export function momentsOfDay(ofDayMs: number, begins: number, now: number, daysMax = 366): number[] {
  const moments: number[] = [];
  const today = now - (now % dayMs);
  for (let day = 0; day < daysMax; day++) {
    const time = today - day * dayMs + ofDayMs;
    if (time < begins) break;
    if (time <= now) moments.push(time);
  }
  return moments;
}
