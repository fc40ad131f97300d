import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#libs/kernel';
import type { EventLog, EventToAppend, RecordedEvent } from '../port';

/** A store that the contract suite is run on. */
export interface ContractTarget {
  name: string;
  open(): Promise<EventLog>;
  /** The log holds other people's events too (a real server): nothing is said about $all as a whole. */
  shared?: boolean;
}

export interface Fixture {
  log: EventLog;
  target: ContractTarget;
  /** A name prefix that no other test uses. */
  prefix: string;
}

export function event(type = 'Happened', data: JsonObject = {}, metadata: JsonObject = {}): EventToAppend {
  return { id: randomUUID(), type, data, metadata };
}

export function events(count: number, data: (i: number) => JsonObject = (i) => ({ i })): EventToAppend[] {
  return Array.from({ length: count }, (_, i) => event('Counted', data(i)));
}

export async function collect(pages: AsyncIterable<readonly RecordedEvent[]>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

export async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a refusal, but it succeeded');
}
