import type { RecordedEvent } from '#libs/event-log';
import { decodeTape, encodeRound, type EventMetadata, type Round } from '#libs/events';
import type { Findings } from '../verify/finding';
import { RoundBuffer } from './round-buffer';

/** What the first reading of a log finds out about one writer. */
export interface WriterTape {
  readonly rounds: RoundBuffer;
  /** Position of the first event of its last append. */
  lastAppend: number;
  /** The number of the first round that is on no tape though later ones are; undefined: none is missing. */
  tornAt: number | undefined;
  /** Its newest rounds as text, by number: the tapes of appends that were on their way at once overlap. */
  readonly newest: Map<number, string>;
}

/** Rounds whose repetition is held against what was read first; none is on its way for longer. */
const newestMax = 4_096;
/** Writers of which this is kept: no more write at once. */
const writersAtOnceMax = 32;

/**
 * The tapes of a log, put together by writer: what the second reading has to know ahead.
 */
export class Tapes {
  readonly writers = new Map<string, WriterTape>();
  /** Whether instances took turns in leading: without that, none was ever barred. */
  hasLeads = false;
  private speedOf = new Map<string, number>();
  /** Those that may still write. */
  private readonly writing = new Set<WriterTape>();

  constructor(private readonly findings: Findings) {}

  /** Cluster seconds a real second, as the writer's start has it. */
  speed(writer: string): number {
    return this.speedOf.get(writer) ?? 1;
  }

  /** @param event as EventReader gives it, in log order */
  add(event: RecordedEvent): void {
    const metadata = event.metadata as unknown as EventMetadata;
    const { i, writer, tape, at } = metadata;
    if (event.type === 'LeadershipTaken') this.hasLeads = true;
    if (i !== 1 || at === undefined) return;
    this.writerOf(writer, event.position).lastAppend = event.position;
    if (event.type === 'ProcessStarted' && typeof event.data.speed === 'number') this.speedOf.set(writer, event.data.speed);
    if (typeof tape === 'string') this.take(event, tape, { position: at, time: metadata.time });
    if (event.type === 'ProcessStopped') this.letGo(this.writerOf(writer, event.position));
  }

  private take(event: RecordedEvent, text: string, base: { position: number; time: number }): void {
    const tape = this.writerOf((event.metadata as unknown as EventMetadata).writer, event.position);
    if (tape.tornAt !== undefined) return;
    let rounds: readonly Round[];
    let first: number;
    try {
      ({ first, rounds } = decodeTape(text, base));
    } catch (error) {
      this.findings.foundAt('M', event, `its tape cannot be read (${(error as Error).message})`);
      return;
    }
    if (first > tape.rounds.length) {
      const missing = first - tape.rounds.length;
      this.findings.foundAt('M', event, `${missing} rounds of its writer before those on its tape are on no tape before it`);
      tape.tornAt = tape.rounds.length;
      return;
    }
    for (const [index, round] of rounds.entries()) this.takeRound(event, tape, first + index, round);
  }

  private takeRound(event: RecordedEvent, tape: WriterTape, number: number, round: Round): void {
    const text = roundText(round);
    if (number < tape.rounds.length) {
      const known = tape.newest.get(number);
      if (known !== undefined && known !== text)
        this.findings.foundAt('M', event, `its tape has round ${number} otherwise than one before it`);
      return;
    }
    tape.rounds.push(round);
    tape.newest.set(number, text);
    tape.newest.delete(number - newestMax);
  }

  private writerOf(writer: string, position: number): WriterTape {
    let tape = this.writers.get(writer);
    if (!tape) {
      this.writers.set(writer, (tape = { rounds: new RoundBuffer(), lastAppend: position, tornAt: undefined, newest: new Map() }));
      this.writing.add(tape);
      if (this.writing.size > writersAtOnceMax) this.letGo(longestSilent(this.writing));
    }
    return tape;
  }

  /** Nothing that its tapes repeat is expected any more. */
  private letGo(tape: WriterTape): void {
    this.writing.delete(tape);
    tape.newest.clear();
    tape.rounds.pack();
  }
}

function longestSilent(tapes: Iterable<WriterTape>): WriterTape {
  return [...tapes].reduce((silent, tape) => (tape.lastAppend < silent.lastAppend ? tape : silent));
}

function roundText(round: Round): string {
  const { position, now, told } = encodeRound(round);
  return `${position} ${now} ${told.join(' ')}`;
}
