import type { RecordedEvent } from '#libs/event-log';
import { decodeTape, encodeRound, encodeTape, type Round, type TapeBase } from '#libs/events';
import { NotInThisLogError, type Edit } from './edits';

/** A round with its number among those of its writer; one that is put in has a number between two others. */
export type NumberedRound = Round & { number: number };

/** The rounds of a writer are others, on every tape that has them; of the first writer that this makes a difference to, where none is given. */
export function withRounds(edit: (rounds: NumberedRound[]) => readonly NumberedRound[], writer?: string): Edit {
  return (events) => {
    for (const name of writer === undefined ? writersIn(events) : [writer]) {
      const rounds = roundsOf(events, name);
      const edited = edit(structuredClone(rounds));
      if (JSON.stringify(edited) !== JSON.stringify(rounds))
        return events.map((event) => (event.metadata.writer === name ? withTape(event, edited) : event));
    }
    throw new NotInThisLogError();
  };
}

/** The rounds of a writer. */
export function roundsOf(events: readonly RecordedEvent[], writer: string): NumberedRound[] {
  const rounds: NumberedRound[] = [];
  for (const { metadata } of events) {
    if (metadata.writer !== writer || typeof metadata.tape !== 'string') continue;
    const tape = decodeTape(metadata.tape, baseOf(metadata));
    tape.rounds.forEach((round, index) => (rounds[tape.first + index] ??= { ...round, number: tape.first + index }));
  }
  return rounds;
}

export function writersIn(events: readonly RecordedEvent[]): Set<string> {
  return new Set(events.flatMap(({ metadata }) => (typeof metadata.writer === 'string' ? [metadata.writer] : [])));
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
