// Sessions of a controller manager, as they were recorded: README.md of the recordings tells the format.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '#libs/kernel';

export interface RecordedRequest {
  method: string;
  path: string;
  query?: string;
  contentType?: string;
  body?: JsonObject;
  status?: number;
  /** Of refusals. */
  answer?: JsonObject;
  /** Seconds after the step's start. */
  after?: number;
}

export interface RecordedEvent {
  on: string;
  type: string;
  reason: string;
  message: string;
  from: string;
  count: number;
}

export interface Frame {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `Kind/name`, in another namespace than the session's `namespace:Kind/name`; `Event`. */
  object: string;
  by?: string;
  how?: string;
  /** Whole seconds after the step's start (with `wait`) or its last request. */
  after?: number;
  set?: JsonObject;
  change?: JsonObject;
  event?: RecordedEvent;
}

export interface Step {
  step: number;
  note?: string;
  /** Seconds in which nothing was done behind the requests. */
  wait?: number;
  /** Seconds since the first step. */
  at?: number;
  requests: RecordedRequest[];
  frames: Frame[];
  state: Record<string, Json>;
}

export interface Session {
  session: string;
  controller: string;
  title: string;
  setup: RecordedRequest[];
  flags?: Record<string, string>;
  featureGates?: string[];
  /** Second of the minute in which the first step began. */
  startSecond?: number;
  steps: Step[];
}

const ending = '.jsonl';

export function areasIn(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .toSorted();
}

export function readArea(dir: string, area: string): Session[] {
  return readSessions(readFileSync(join(dir, `${area}${ending}`), 'utf8'));
}

export function readSessions(text: string): Session[] {
  const sessions: Session[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const parsed = JSON.parse(line) as Session | Step;
    if ('session' in parsed) sessions.push({ ...parsed, setup: parsed.setup ?? [], steps: [] });
    else sessions.at(-1)?.steps.push(parsed);
  }
  return sessions;
}

export interface ObjectName {
  kind: string;
  namespace: string;
  name: string;
}

/** `Kind/name`, or `namespace:Kind/name`. */
export function objectName(object: string, session: string): ObjectName {
  const slash = object.indexOf('/');
  const colon = object.slice(0, slash).indexOf(':');
  return { kind: object.slice(colon + 1, slash), namespace: colon < 0 ? session : object.slice(0, colon), name: object.slice(slash + 1) };
}
