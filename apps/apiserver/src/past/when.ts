import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { badRequest, notFound, resourceVersionTooLarge, type Failure } from '#libs/kube-api';

/** What a moment of the past is looked up in. */
export interface Timeline {
  log: EventLog;
  cluster: string;
  /** Last position folded. */
  head: number;
  /** Cluster time now, ms. */
  now: number;
}

export interface Moment {
  /** Everything up to this position is shown. */
  position: number;
  /** Other moments that the words could have meant. */
  candidates: string[];
}

const dayMs = 86_400_000;
/** Days looked at for a bare time of day. */
const daysMax = 366;

/**
 * `<when>` of `/at/<when>/…`: digits are a resourceVersion; otherwise RFC 3339, `-5m` (before now), `before:EVENT-ID`, or a time
 * of day in UTC, which is the latest such moment in the log.
 */
export async function readMoment(when: string, timeline: Timeline): Promise<Moment | Failure> {
  if (/^\d+$/.test(when)) {
    const position = Number(when);
    return position <= timeline.head ? { position, candidates: [] } : resourceVersionTooLarge(when, String(timeline.head));
  }
  const before = /^before:(.+)$/.exec(when)?.[1];
  if (before !== undefined) return positionBefore(before, timeline);
  const ago = /^-((?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)$/.exec(when)?.[1];
  if (ago !== undefined) return at(timeline.now - durationMs(ago), timeline);
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(when);
  if (clock) return timeOfDay(clock.slice(1), timeline);
  const time = /^\d{4}-\d{2}-\d{2}T/.test(when) ? Date.parse(when) : Number.NaN;
  if (!Number.isNaN(time)) return at(time, timeline);
  return badRequest(
    `"${when.slice(0, 100)}" is no moment: give a resourceVersion, a time (RFC 3339, or HH:MM[:SS] in UTC), -5m, or before:EVENT-ID`,
  );
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: dayMs };

function durationMs(text: string): number {
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) ms += Number(amount) * (unitsMs[unit as string] as number);
  return ms;
}

async function at(time: number, timeline: Timeline): Promise<Moment | Failure> {
  const position = await lastUpTo(time, timeline);
  return position === undefined ? badRequest(`the cluster did not exist at ${new Date(time).toISOString()}`) : { position, candidates: [] };
}

async function timeOfDay([hours, minutes, seconds]: (string | undefined)[], timeline: Timeline): Promise<Moment | Failure> {
  const ofDay = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0)) * 1000;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return badRequest(`${hours}:${minutes} is no time of day`);
  const first = await eventFrom(0, timeline);
  if (first === undefined) return badRequest('the log is empty');
  const begins = timeOf(first);
  const today = timeline.now - (timeline.now % dayMs);
  const moments: number[] = [];
  for (let day = 0; day < daysMax; day++) {
    const time = today - day * dayMs + ofDay;
    if (time < begins) break;
    if (time <= timeline.now) moments.push(time);
  }
  const [latest, ...others] = moments;
  if (latest === undefined)
    return badRequest(`no ${hours}:${minutes} lies between the beginning of the log (${new Date(begins).toISOString()}) and now`);
  const moment = await at(latest, timeline);
  return 'position' in moment ? { ...moment, candidates: others.map((time) => new Date(time).toISOString()) } : moment;
}

function timeOf(event: RecordedEvent): number {
  return event.metadata.time as number;
}

/** The first event at a position or later. */
async function eventFrom(from: number, { log, cluster }: Timeline): Promise<RecordedEvent | undefined> {
  for await (const page of log.readAll({ from, limit: 1, filter: { streamPrefixes: [clusterPrefix(cluster)] } })) return page[0];
  return undefined;
}

/** The last position whose cluster time is not later, by halving: positions and time grow together. */
async function lastUpTo(time: number, timeline: Timeline): Promise<number | undefined> {
  const first = await eventFrom(0, timeline);
  if (first === undefined || timeOf(first) > time) return undefined;
  // Everything up to `low` is early enough; nothing from `high` on is.
  let low = first.position;
  let high = timeline.head + 1;
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await eventFrom(middle, timeline);
    if (event === undefined || event.position > timeline.head) high = middle;
    else if (timeOf(event) <= time) low = event.position;
    else high = middle;
  }
  return low;
}

/** Just before the append that an event is part of. */
async function positionBefore(id: string, { log, cluster, head }: Timeline): Promise<Moment | Failure> {
  let beginning = 0;
  for await (const page of log.readAll({ from: 'start', filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
    for (const event of page) {
      if (event.position > head) break;
      if (event.metadata.i === 1) beginning = event.position;
      if (event.id === id) return { position: beginning - 1, candidates: [] };
    }
  }
  return notFound('events of the log', id);
}
