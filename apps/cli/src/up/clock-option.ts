import { parseDuration } from '#libs/kernel';
import { CliError } from '../cli-error';

/** How the cluster's clock runs. */
export interface ClockSetting {
  /** Cluster seconds a real second. */
  speed: number;
  /** It begins so far in the past, ms, and goes with the wall clock once it has come to it; absent: now, and it never does. */
  behindMs?: number;
}

const speedMax = 10_000;

/** `real`, `×60`, or `×60,from=7d`. @throws CliError for anything else */
export function parseClock(text: string): ClockSetting {
  if (text === 'real') return { speed: 1 };
  const [, factor, from] = /^[×x]([\d.]+)(?:,from=(.+))?$/.exec(text) ?? [];
  const speed = Number(factor);
  const behindMs = from === undefined ? undefined : parseDuration(from);
  const isKnown = speed > 0 && speed <= speedMax && (from === undefined || (behindMs !== undefined && behindMs > 0 && speed > 1));
  if (!isKnown) {
    const hint = `real, or ×N with N up to ${speedMax}, e.g. ×60; ×60,from=7d (N above 1) begins 7 days ago and ends at now.`;
    throw new CliError(`--clock: "${text}" is not understood`, hint, 2);
  }
  return { speed, ...(behindMs === undefined ? {} : { behindMs }) };
}
