import { lastAppend, lastAppendThat, placeOf, readAppends, type Append } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { momentNotation, momentsOfDay, parseMoment } from '#libs/kernel';
import { CliError } from '../cli-error';
import type { ClusterLog } from './open-cluster-log';

/** One end of a stretch of the log. */
export type Bound = { kind: 'position'; position: number } | { kind: 'time'; time: number };

/** @throws CliError when the words are no moment: before the log is looked for. */
export function checkMoment(flag: string, text: string | undefined): void {
  if (text !== undefined && parseMoment(text, 0) === undefined)
    throw new CliError(`${flag}: "${text}" is no moment`, `Give ${momentNotation}.`, 2);
}

/**
 * What the words mean in this log. Times before now count from the wall clock, or from the last event where the cluster's time is ahead.
 * @param note called with a line when the words could have meant other moments too
 * @throws CliError for a moment in the future, or an event that is not there
 */
export async function readBound(
  flag: '--since' | '--until',
  text: string,
  place: ClusterLog,
  note: (line: string) => void,
): Promise<Bound> {
  const now = Math.max(Date.now(), await lastTime(place));
  const named = parseMoment(text, now);
  switch (named?.kind) {
    case 'position':
      return named;
    case 'time':
      if (named.time > now) throw new CliError(`${flag}: ${text} lies in the future`, `It is ${new Date(now).toISOString()}.`, 2);
      return named;
    case 'time-of-day':
      return timeOfDay(flag, named, now, place, note);
    case 'before':
      return { kind: 'position', position: (await positionOf(named.id, flag, place)) - (flag === '--since' ? 0 : 1) };
    case undefined:
      throw new CliError(`${flag}: "${text}" is no moment`, `Give ${momentNotation}.`, 2);
  }
}

export function isFrom(bound: Bound | undefined, event: RecordedEvent): boolean {
  if (!bound) return true;
  return bound.kind === 'position' ? event.position >= bound.position : timeOf(event) >= bound.time;
}

export function isUpTo(bound: Bound | undefined, event: RecordedEvent): boolean {
  if (!bound) return true;
  return bound.kind === 'position' ? event.position <= bound.position : timeOf(event) <= bound.time;
}

/** Times of a log grow with its positions but for what several processes write at the same moment, or after a step of a clock, ms. */
const disorderMaxMs = 60_000;

/** Where reading has to begin; undefined: at the start of the log. */
export async function beginningOf(bound: Bound, { log, cluster }: Pick<ClusterLog, 'log' | 'cluster'>): Promise<number | undefined> {
  if (bound.kind === 'position') return bound.position;
  // Where it would have to be looked for by reading the log, reading it once is enough.
  if (!log.readsAnywhere) return undefined;
  return (await lastAppendThat(log, cluster, ({ time }) => time < bound.time - disorderMaxMs))?.position;
}

async function timeOfDay(
  flag: string,
  { ofDayMs, text }: { ofDayMs: number; text: string },
  now: number,
  { log, cluster }: ClusterLog,
  note: (line: string) => void,
): Promise<Bound> {
  let begins = now;
  for await (const [first] of readAppends(log, cluster)) {
    if (first) begins = placeOf(first).time;
    break;
  }
  // The day of the beginning counts from midnight: "since 09:00" of a log begun at 10:00 is all of it.
  const [latest, ...others] = momentsOfDay(ofDayMs, begins - (begins % dayMs), now);
  if (latest === undefined)
    throw new CliError(`${flag}: ${text} lies in the future`, `It is ${new Date(now).toISOString()}; times are UTC.`, 2);
  if (others.length > 0)
    note(
      `${flag} ${text} is taken as ${new Date(latest).toISOString()}; other days: ${others
        .slice(0, 3)
        .map((time) => new Date(time).toISOString())
        .join(', ')}`,
    );
  return { kind: 'time', time: latest };
}

const dayMs = 86_400_000;

/** Position of the first event of the append that an event is part of. */
async function positionOf(id: string, flag: string, { log, cluster }: ClusterLog): Promise<number> {
  for await (const appends of readAppends(log, cluster)) {
    const found = appends.find((append) => append.some((event) => event.id === id));
    if (found) return (found[0] as RecordedEvent).position;
  }
  throw new CliError(`${flag}: the log has no event ${id}`, 'Ids are shown by: kubereel log -o json');
}

/** Cluster time of the last event, ms; 0 of an empty log. */
async function lastTime({ log, cluster }: ClusterLog): Promise<number> {
  const last: Append | undefined = await lastAppend(log, cluster);
  return last ? placeOf(last).time : 0;
}

function timeOf(event: RecordedEvent): number {
  return event.metadata.time as number;
}
