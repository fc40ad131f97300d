import type { RecordedEvent } from '#libs/event-log';
import { isFirstOfAppend } from '#libs/events';
import type { JsonObject } from '#libs/kernel';

export type Edit = (events: readonly RecordedEvent[]) => readonly RecordedEvent[];
export type Which = (event: RecordedEvent, index: number, events: readonly RecordedEvent[]) => boolean;

/** Events of a type, whose stream ends so. */
export function ofType(type: string, streamEnd = ''): Which {
  return (event) => event.type === type && event.stream.endsWith(streamEnd);
}

/** The log does not exercise the mutant. */
export class NotInThisLogError extends Error {
  override name = 'NotInThisLogError';

  constructor() {
    super('the log has nothing of what the mutant is about');
  }
}

/** Draws one of so many places; undefined: edits are made where their mutant says. */
let draw: ((places: number) => number) | undefined;

/** Edits that are made meanwhile are made at drawn places. */
export function atDrawnPlaces<T>(drawing: (places: number) => number, work: () => T): T {
  draw = drawing;
  try {
    return work();
  } finally {
    draw = undefined;
  }
}

/** A client wrote it. */
export function isUsers(type: string, verb?: string): Which {
  return ({ type: is, metadata }) => is === type && metadata.op !== undefined && (verb === undefined || metadata.verb === verb);
}

/** A client made a pod. */
export const isUsersPod: Which = (event, index, events) => isUsers('Created')(event, index, events) && event.stream.includes('.pods-');

/** Index of the first (or last) event that is meant, or of a drawn one. @throws NotInThisLogError where the log has none */
export function indexOf(events: readonly RecordedEvent[], which: Which, place: 'first' | 'last' = 'first'): number {
  const places = events.flatMap((event, index) => (which(event, index, events) ? [index] : []));
  const index = places[draw && places.length > 0 ? draw(places.length) : place === 'first' ? 0 : places.length - 1];
  if (index === undefined) throw new NotInThisLogError();
  return index;
}

/** First and last index of the append that an event belongs to. */
export function appendAround(events: readonly RecordedEvent[], index: number): { from: number; to: number } {
  let from = index;
  while (!isFirstOfAppend(events[from]?.metadata)) from--;
  let to = from;
  while (to + 1 < events.length && !isFirstOfAppend(events[to + 1]?.metadata)) to++;
  return { from, to };
}

/** One event says something else. */
export function changed(which: Which, change: (event: RecordedEvent) => Partial<RecordedEvent>, place?: 'first' | 'last'): Edit {
  return (events) => {
    const index = indexOf(events, which, place);
    return events.map((event, i) => (i === index ? { ...event, ...change(structuredClone(event)) } : event));
  };
}

/** The payload of one event is another. */
export function changedData(which: Which, change: (data: any) => void, place?: 'first' | 'last'): Edit {
  return changed(
    which,
    ({ data }) => {
      change(data);
      return { data };
    },
    place,
  );
}

/** The metadata of one event are others. */
export function changedMetadata(which: Which, change: (metadata: any) => void, place?: 'first' | 'last'): Edit {
  return changed(
    which,
    ({ metadata }) => {
      change(metadata);
      return { metadata };
    },
    place,
  );
}

/** Every event that is meant is another. */
export function changedAll(which: Which, change: (event: RecordedEvent) => void): Edit {
  return (events) => {
    indexOf(events, which);
    return events.map((event, index) => {
      if (!which(event, index, events)) return event;
      const copy = structuredClone(event);
      change(copy);
      return copy;
    });
  };
}

/** A text is another one wherever it stands. */
export function replacedEverywhere(find: (events: readonly RecordedEvent[]) => string, by: string): Edit {
  return (events) => {
    const text = find(events);
    return events.map((event) => JSON.parse(JSON.stringify(event).replaceAll(text, by)) as RecordedEvent);
  };
}

/** The append that an event belongs to is gone. */
export function withoutAppend(which: Which, place?: 'first' | 'last'): Edit {
  return (events) => {
    const { from, to } = appendAround(events, indexOf(events, which, place));
    return events.filter((_, index) => index < from || index > to);
  };
}

/** All events that are meant are gone. */
export function without(which: Which): Edit {
  return (events) => {
    indexOf(events, which);
    return events.filter((event, index) => !which(event, index, events));
  };
}

/** An append is there once more behind another, changed. */
export function withAppend(which: Which, change: (copy: RecordedEvent[]) => void, place?: 'first' | 'last'): Edit {
  return (events) => {
    const { from, to } = appendAround(events, indexOf(events, which, place));
    const copy = structuredClone(events.slice(from, to + 1)) as RecordedEvent[];
    const next = events[to + 1]?.position ?? (events[to] as RecordedEvent).position + 1_000;
    const step = (next - (events[to] as RecordedEvent).position) / (copy.length + 1);
    copy.forEach((event, i) => (event.position = Math.floor((events[to] as RecordedEvent).position + step * (i + 1))));
    change(copy);
    return [...events.slice(0, to + 1), ...copy, ...events.slice(to + 1)];
  };
}

/** One edit after the other. */
export function both(...edits: readonly Edit[]): Edit {
  return (events) => edits.reduce((edited, edit) => edit(edited), events);
}

/** The object that a Created event is about. */
export function objectIn(data: JsonObject): any {
  return data.object;
}
