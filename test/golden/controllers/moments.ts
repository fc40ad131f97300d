// When a recording's steps are on the clock of the play.
import type { Session } from './recording';

const startTime = Date.parse('2026-01-01T12:00:00Z');
/** How long a recording waited for nothing more to happen, ms. */
const quietMs = 1_500;
/** What `<time@1-600s>` may reach back to lies behind the cluster's start, ms. */
const beforeMs = 3_600_000;
const placeholder = /^<time@(\d+)(?:([+-]\d+)s)?>(?:\+(\d+)s)?$/;

/** Moments of recordings are cut to the second, and so are ours: either may be a second off, ms. */
const secondsMs = 2_000;
/** Controllers that look at everything every few seconds do so at other moments, after heartbeats that came at other moments, ms. */
const looksMs = 20_000;
const looking: ReadonlySet<string> = new Set(['nodelifecycle', 'podgc']);

export class Moments {
  /** How far apart two moments may be, ms. */
  readonly toleranceMs: number;
  private readonly begins: number[] = [startTime];
  private readonly ends: number[] = [startTime];

  constructor({ controller, steps, startSecond = 0 }: Session) {
    this.toleranceMs = looking.has(controller) ? looksMs : secondsMs;
    const first = startTime + beforeMs + startSecond * 1_000;
    let time = first;
    for (const { step, wait, at, requests, frames } of steps) {
      const begin = at === undefined ? time : Math.max(time, first + at * 1_000);
      const lastRequest = Math.max(0, ...requests.map(({ after = 0 }) => after));
      const lastFrame = Math.max(0, ...frames.map(({ after = 0 }) => after));
      const lasts = wait === undefined ? lastRequest + lastFrame : Math.max(wait, lastRequest, lastFrame);
      this.begins[step] = begin;
      time = this.ends[step] = begin + lasts * 1_000 + quietMs;
    }
  }

  /** When the step's first request was sent, ms since the epoch. */
  begin(step: number): number {
    return this.begins[step] ?? startTime;
  }

  end(step: number): number {
    return this.ends[step] ?? startTime;
  }

  /** A placeholder's moment; undefined: the text is none. */
  of(text: string): number | undefined {
    const match = placeholder.exec(text);
    return match ? this.begin(Number(match[1])) + (Number(match[2] ?? 0) + Number(match[3] ?? 0)) * 1_000 : undefined;
  }
}
