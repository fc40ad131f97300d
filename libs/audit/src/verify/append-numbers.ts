import type { RecordedEvent } from '#libs/event-log';
import { appendOf } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';

/** What is known of one writer's numbers. */
interface Numbers {
  /** All below it have been seen, or are accounted for. */
  next: number;
  /** Those above it that have been seen. */
  seen: Set<number>;
  /** Their outcome is not known to the writer: in the log, or not. */
  lost: Set<number>;
}

/**
 * Each writer numbers its appends: each number is in the log once, unless the writer recorded that it was not written, or died before it
 * had an answer.
 */
export class AppendNumbersCheck implements AppendCheck {
  readonly letter = 'N';
  private readonly byWriter = new Map<string, Numbers>();

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const { first, notes } = appendOf(events, this.cluster);
    const { w, open = 0, lost = [], writer } = notes;
    if (w === undefined) return;
    const numbers = this.numbersOf(writer);
    for (const number of lost) numbers.lost.add(number);
    this.take(numbers, w, first, writer);
    // What this append knew to be answered is in the log before it.
    this.advance(numbers, w - open, first, writer);
    if (first.type === 'ProcessStopped') this.stopped(numbers, first, writer);
  }

  private numbersOf(writer: string): Numbers {
    let numbers = this.byWriter.get(writer);
    if (!numbers) this.byWriter.set(writer, (numbers = { next: 1, seen: new Set(), lost: new Set() }));
    return numbers;
  }

  private take(numbers: Numbers, w: number, event: RecordedEvent, writer: string): void {
    if (w >= numbers.next && !numbers.seen.has(w)) numbers.seen.add(w);
    else if (!numbers.lost.delete(w)) this.findings.foundAt('N', event, `append ${w} of ${writer} is there twice`, { kind: 'inserted' });
  }

  /** Steps over what has been seen, and leaps over what is missing: a number in an edited log may be as large as it likes. */
  private advance(numbers: Numbers, floor: number, event: RecordedEvent, writer: string): void {
    let [from, to] = [0, 0];
    let known: Iterator<number, undefined> | undefined;
    while (numbers.next < floor || numbers.seen.has(numbers.next)) {
      const number = numbers.next++;
      if (numbers.seen.delete(number) || numbers.lost.has(number)) continue;
      if (from === 0) from = number;
      known ??= knownFrom(numbers, number);
      numbers.next = Math.min(nextOf(known, number), floor);
      to = numbers.next - 1;
    }
    if (from === 0) return;
    const which = from === to ? `append ${from} of ${writer} is nowhere` : `appends ${from} to ${to} of ${writer} are not all there`;
    this.findings.foundAt('N', event, `${which} before it`);
  }

  /** Whoever ends in order says which numbers nobody has. */
  private stopped(numbers: Numbers, event: RecordedEvent, writer: string): void {
    for (const number of event.data.absent as number[]) if (number >= numbers.next) numbers.seen.add(number);
    let last = numbers.next - 1;
    for (const number of numbers.seen) last = Math.max(last, number);
    this.advance(numbers, last + 1, event, writer);
  }
}

/** Numbers that are accounted for, ascending. */
function knownFrom({ seen, lost }: Numbers, from: number): Iterator<number, undefined> {
  return [...seen, ...lost]
    .filter((number) => number > from)
    .sort((a, b) => a - b)
    .values() as Iterator<number, undefined>;
}

/** The first of them behind a number. */
function nextOf(known: Iterator<number, undefined>, number: number): number {
  let next = known.next();
  while (!next.done && next.value <= number) next = known.next();
  return next.done ? Infinity : next.value;
}
