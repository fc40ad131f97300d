import type { EventToAppend } from '#libs/event-log';
import { digestOf, storedMetadata, versionOf, validateEvent, type AppendNotes, type Fact, type Unsigned } from '#libs/events';
import { derivedId, type JsonObject } from '#libs/kernel';
import type { Origin } from './origin';

export interface StampInput {
  stream: string;
  /** What a watch shows one after the other; all of it is one append. */
  frames: readonly (readonly Fact[])[];
  origin: Origin;
  writer: string;
  /** Cluster time, ms. */
  time: number;
  /** Digest of the predecessor, if there is one. */
  follows: string | undefined;
  /** Distinguishes appends of one operation (`r` for records, attempt numbers). */
  label: string;
  /** What else is said of the append, on its first event. */
  notes?: AppendNotes;
}

/** The id of an event follows from who writes it, in which operation, and its place. */
export function eventId(writer: string, origin: Origin, label: string, index: number): string {
  return derivedId(`${writer}/${origin.operation}/${label}/${index}`);
}

/**
 * Facts as events: validated, with derived ids, their place in the append, and the digest chain. What they share stands on the first.
 * @throws InvalidEventError — our own bug, never a client's.
 */
export function stamp(input: StampInput): EventToAppend[] {
  const { stream, frames, origin, writer, label } = input;
  let { follows } = input;
  const n = frames.reduce((sum, facts) => sum + facts.length, 0);
  const events: EventToAppend[] = [];
  for (const [place, facts] of frames.entries()) {
    const frame = frames.length > 1 ? place + 1 : undefined;
    for (const { type, data } of facts) {
      validateEvent(type, data);
      // What is undefined is not in the JSON.
      const metadata = storedMetadata(wholeOf(input, type, events.length + 1, n, frame), stream);
      const event = { id: eventId(writer, origin, label, events.length), type, data, metadata: metadata as unknown as JsonObject };
      follows = digestOf(event, stream, follows);
      metadata.digest = follows;
      events.push(event);
    }
  }
  return events;
}

/** Every field by its name, absent ones too: events are alike to the engine, whoever writes them. */
function wholeOf({ origin, writer, time, notes }: StampInput, type: string, i: number, n: number, frame: number | undefined): Unsigned {
  return {
    $correlationId: origin.correlationId,
    $causationId: origin.causationId,
    actor: origin.actor,
    v: versionOf(type),
    time,
    i,
    n,
    frame,
    writer,
    at: notes?.at,
    w: notes?.w,
    open: notes?.open,
    lost: notes?.lost,
    op: notes?.op,
    verb: notes?.verb,
    sub: notes?.sub,
    body: notes?.body,
    version: notes?.version,
    agent: notes?.agent,
    impersonator: notes?.impersonator,
    groups: notes?.groups,
    manager: notes?.manager,
    tape: notes?.tape,
    basis: origin.basis,
    step: origin.step,
  };
}
