import type { EventToAppend } from '#libs/event-log';
import { digestOf, storedMetadata, versionOf, validateEvent, type AppendNotes, type Fact } from '#libs/events';
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
  const { stream, frames, origin, writer, time, label, notes } = input;
  let follows = input.follows;
  const facts = frames.flatMap((frame, place) => frame.map((fact) => ({ fact, frame: frames.length > 1 ? place + 1 : undefined })));
  return facts.map(({ fact, frame }, index) => {
    validateEvent(fact.type, fact.data);
    const whole = {
      ...notes,
      $correlationId: origin.correlationId,
      $causationId: origin.causationId,
      actor: origin.actor,
      v: versionOf(fact.type),
      time,
      i: index + 1,
      n: facts.length,
      frame,
      writer,
      basis: origin.basis,
      step: origin.step,
    };
    // What is undefined is not in the JSON.
    const metadata = storedMetadata(whole, stream);
    const event = {
      id: eventId(writer, origin, label, index),
      type: fact.type,
      data: fact.data,
      metadata: metadata as unknown as JsonObject,
    };
    metadata.digest = digestOf(event, stream, follows);
    follows = metadata.digest;
    return event;
  });
}
