import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { momentNotation, momentsOfDay, parseMoment } from '#libs/kernel';
import { badRequest, expired, notFound, resourceVersionTooLarge, type Failure } from '#libs/kube-api';

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

/**
 * `<when>` of `/at/<when>/…`: digits are a resourceVersion; otherwise RFC 3339, `-5m` (before now), `before:EVENT-ID`, or a time
 * of day in UTC, which is the latest such moment in the log.
 */
export async function readMoment(when: string, timeline: Timeline): Promise<Moment | Failure> {
  const named = parseMoment(when, timeline.now);
  switch (named?.kind) {
    case 'position':
      return named.position <= timeline.head
        ? { position: named.position, candidates: [] }
        : resourceVersionTooLarge(when, String(timeline.head));
    case 'before':
      return positionBefore(named.id, timeline);
    case 'time':
      return at(named.time, timeline);
    case 'time-of-day':
      return timeOfDay(named, timeline);
    case undefined:
      return badRequest(`"${when.slice(0, 100)}" is no moment: give ${momentNotation}`);
  }
}

async function at(time: number, timeline: Timeline): Promise<Moment | Failure> {
  const position = await lastUpTo(time, timeline);
  if (position !== undefined) return { position, candidates: [] };
  const asked = new Date(time).toISOString();
  if (timeline.log.history?.forgotten)
    return expired(`${asked} is no longer kept: the history in memory begins later (kubereel up --history)`);
  return badRequest(`the cluster did not exist at ${asked}`);
}

async function timeOfDay({ ofDayMs, text }: { ofDayMs: number; text: string }, timeline: Timeline): Promise<Moment | Failure> {
  const first = await eventFrom(0, timeline);
  if (first === undefined) return badRequest('the log is empty');
  const begins = timeOf(first);
  const [latest, ...others] = momentsOfDay(ofDayMs, begins, timeline.now);
  if (latest === undefined)
    return badRequest(`no ${text} lies between the beginning of the log (${new Date(begins).toISOString()}) and now`);
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
