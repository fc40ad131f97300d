import type { RecordedEvent } from '#libs/event-log';
import { decodeTape, encodeRound, encodeTape, type Round, type TapeBase } from '#libs/events';
import type { Edit } from './edits';

/** A round with its number among those of its writer; one that is put in has a number between two others. */
export type NumberedRound = Round & { number: number };

/** The rounds of the log's one writer are others, on every tape that has them. */
export function withRounds(edit: (rounds: NumberedRound[]) => readonly NumberedRound[]): Edit {
  return (events) => {
    const edited = edit(roundsOf(events).map((round) => structuredClone(round)));
    return events.map((event) => withTape(event, edited));
  };
}

/** The rounds of the log's one writer. */
export function roundsOf(events: readonly RecordedEvent[]): NumberedRound[] {
  const rounds: NumberedRound[] = [];
  for (const { metadata } of events) {
    if (typeof metadata.tape !== 'string') continue;
    const tape = decodeTape(metadata.tape, baseOf(metadata));
    tape.rounds.forEach((round, index) => (rounds[tape.first + index] ??= { ...round, number: tape.first + index }));
  }
  return rounds;
}

function withTape(event: RecordedEvent, rounds: readonly NumberedRound[]): RecordedEvent {
  const { tape, ...metadata } = event.metadata;
  if (typeof tape !== 'string') return event;
  const was = decodeTape(tape, baseOf(metadata));
  const end = was.first + was.rounds.length;
  const carried = rounds.filter(({ number }) => number >= was.first && number < end);
  if (carried.length === 0) return { ...event, metadata };
  const first = rounds.indexOf(carried[0] as NumberedRound);
  return { ...event, metadata: { ...metadata, tape: encodeTape(first, carried.map(encodeRound), baseOf(metadata)) } };
}

function baseOf(metadata: RecordedEvent['metadata']): TapeBase {
  return { position: metadata.at as number, time: metadata.time as number };
}
