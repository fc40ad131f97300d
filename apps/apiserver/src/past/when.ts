import { readAppends } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import { momentNotation, momentsOfDay, parseMoment } from '#libs/kernel';
import { badRequest, expired, notFound, resourceVersionTooLarge, type Failure } from '#libs/kube-api';
import type { Landmarks } from './landmarks';

/** What a moment of the past is looked up in. */
export interface Timeline {
  log: EventLog;
  cluster: string;
  landmarks: Landmarks;
  /** Last position folded. */
  head: number;
  /** Cluster time now, ms. */
  now: number;
}

export interface Moment {
  /** Everything up to this position is shown. */
  position: number;
  /** Cluster time that ages are counted to, ms; absent where none was asked for: that of what happened last. */
  time?: number;
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

/** A clock beside the cluster's may be ahead of it; further ahead, a time is of the future, ms. */
const aheadMaxMs = 60_000;

async function at(time: number, timeline: Timeline): Promise<Moment | Failure> {
  if (time > timeline.now + aheadMaxMs) return badRequest(`${new Date(time).toISOString()} lies in the future`);
  const found = await timeline.landmarks.lastUpTo(time, timeline.head);
  if (found) return { position: found.position, time: Math.min(time, timeline.now), candidates: [] };
  const asked = new Date(time).toISOString();
  if (timeline.log.history?.forgotten)
    return expired(`${asked} is no longer kept: the history in memory begins later (kubereel up --history)`);
  return badRequest(`the cluster did not exist at ${asked}`);
}

async function timeOfDay({ ofDayMs, text }: { ofDayMs: number; text: string }, timeline: Timeline): Promise<Moment | Failure> {
  const first = await timeline.landmarks.first();
  if (first === undefined) return badRequest('the log is empty');
  const begins = first.time;
  const [latest, ...others] = momentsOfDay(ofDayMs, begins, timeline.now);
  if (latest === undefined)
    return badRequest(`no ${text} lies between the beginning of the log (${new Date(begins).toISOString()}) and now`);
  const moment = await at(latest, timeline);
  return 'position' in moment ? { ...moment, candidates: others.map((time) => new Date(time).toISOString()) } : moment;
}

/** Just before the append that an event is part of. */
async function positionBefore(id: string, { log, cluster, head, landmarks }: Timeline): Promise<Moment | Failure> {
  // What nobody knows of may be there all the same.
  const from = await landmarks.positionOf(id);
  for await (const appends of readAppends(log, cluster, { from, until: head })) {
    const found = appends.find((append) => append.some((event) => event.id === id))?.[0];
    if (found) return { position: found.position - 1, candidates: [] };
  }
  return notFound('events of the log', id);
}
