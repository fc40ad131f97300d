import { formatTime, isObject, type Json, type JsonObject } from '#libs/kernel';
import type { Step } from './recording.fixture';

const startTime = Date.parse('2026-01-01T12:00:00Z');
const placeholder = /^<time@(\d+)(?:([+-]\d+)s)?>(?:\+(\d+)s)?$/;

/** From the end of a step's wait to the next step, ms: the recording went on when nothing had happened for that long. */
const betweenMs = 1_500;

/** When each step begins on the clock of the replay, ms. */
export class StepTimes {
  private readonly times: number[] = [startTime];

  constructor(steps: readonly Step[]) {
    let time = startTime + 3_600_000;
    for (const { step, wait = 0 } of steps) {
      this.times[step] = time;
      time += betweenMs + wait * 1_000;
    }
  }

  of(step: number): number {
    return this.times[step] ?? startTime;
  }

  /** A placeholder's moment, or undefined when the text is none. */
  momentOf(text: string): number | undefined {
    const match = placeholder.exec(text);
    return match ? this.of(Number(match[1])) + (Number(match[2] ?? 0) + Number(match[3] ?? 0)) * 1_000 : undefined;
  }
}

const token = /<(uid|rand|hash):\d+>/g;

/** What the recording's placeholders stand for in the replay: names grow as objects appear. */
export class Names {
  private readonly actual = new Map<string, string>();

  constructor(private readonly times: StepTimes) {}

  set(recorded: string, actual: string): void {
    this.actual.set(recorded, actual);
  }

  get(recorded: string): string | undefined {
    return this.actual.get(recorded);
  }

  /** A text of the recording in the replay's words. Objects have names of their own; the rest is replaced piece by piece. */
  resolveText(text: string): string {
    const moment = this.times.momentOf(text);
    if (moment !== undefined) return formatTime(moment);
    let result = this.actual.get(text) ?? text;
    const longestFirst = [...this.actual.keys()].filter((name) => !/^<.*>$/.test(name)).sort((a, b) => b.length - a.length);
    for (const name of longestFirst) if (result.includes(name)) result = result.replaceAll(name, this.actual.get(name) as string);
    return result.replace(token, (found) => this.actual.get(found) ?? found);
  }

  resolve<T extends Json | undefined>(value: T): T {
    if (typeof value === 'string') return this.resolveText(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.resolve(item)) as T;
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([key, item]) => [this.resolveText(key), this.resolve(item as Json)]),
    ) as T;
  }
}
