import { OutcomeUnknownError, WrongExpectedRevisionError, type EventLog, type EventToAppend } from '#libs/event-log';

/** Stamps a record to follow the event of that digest in that stream. */
export type StampRecord = (follows: string | undefined, stream: string) => EventToAppend[];

interface Entry {
  stamp: StampRecord;
  events: EventToAppend[];
  /** Revision of its first event. */
  revision: number;
  attempts: number;
  error?: Error;
  resolve(position: number): void;
  reject(error: Error): void;
}

/** Last event of the stream, as far as it is known. */
interface Tail {
  revision: number;
  digest: string | undefined;
}

/** Records on their way at once; more wait. */
const inFlightMax = 256;
/** How often a record is sent again because one before it had not arrived. */
const attemptsMax = 5;
/** Before anything is in a stream. */
const beginning: Tail = { revision: -1, digest: undefined };

/**
 * The records of one writer in a decision stream of its own. Each append expects the revision that the one before it leaves, so the
 * store itself refuses what would come out of order, and the digest chain has no gap: a record that failed is taken out of the chain,
 * and those behind it are stamped and sent anew. What was sent without an answer may be written at any later time, several records one
 * after the other, each at the revision it expects: nothing more goes to that stream then, but to another, `<stream>.2`, `<stream>.3` ….
 */
export class DecisionJournal {
  private readonly waiting: Entry[] = [];
  private sent: Entry[] = [];
  private unanswered = 0;
  /** How many streams there have been. */
  private streams = 1;
  /** Something sent to the present stream may come at any time. */
  private isAwaitingGhosts = false;
  /** Where the stream will end when all that was sent has been written. */
  private tail: Tail = beginning;
  /** Where it ends for certain. */
  private confirmed: Tail = this.tail;
  private state: 'sending' | 'failed' | 'recovering' = 'sending';

  constructor(
    private readonly log: Pick<EventLog, 'append' | 'readStream'>,
    private readonly stream: string,
  ) {}

  /** That which records go to now. */
  private get current(): string {
    return this.streams === 1 ? this.stream : `${this.stream}.${this.streams}`;
  }

  /**
   * Appends one record; gives the position of its last event.
   * @throws the log's errors; nothing of the record is then in the log, unless the log cannot say (LogUnavailableError).
   */
  append(stamp: StampRecord): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ stamp, events: [], revision: 0, attempts: 0, resolve, reject });
      this.proceed();
    });
  }

  private proceed(): void {
    if (this.state === 'sending') this.send();
    else if (this.state === 'failed' && this.unanswered === 0) void this.recover();
  }

  private send(): void {
    while (this.sent.length < inFlightMax) {
      const entry = this.waiting.shift();
      if (!entry) return;
      entry.events = entry.stamp(this.tail.digest, this.current);
      entry.revision = this.tail.revision + 1;
      entry.error = undefined;
      entry.attempts++;
      const expected = this.tail.revision < 0 ? 'no_stream' : this.tail.revision;
      const after: Tail = { revision: this.tail.revision + entry.events.length, digest: digestOfLast(entry.events) };
      this.tail = after;
      this.sent.push(entry);
      this.unanswered++;
      this.log.append(this.current, entry.events, expected).then(
        ({ position }) => this.written(entry, after, position as number),
        (error: Error) => this.failed(entry, error),
      );
    }
  }

  private written(entry: Entry, after: Tail, position: number): void {
    this.unanswered--;
    this.sent.splice(this.sent.indexOf(entry), 1);
    if (after.revision > this.confirmed.revision) this.confirmed = after;
    entry.resolve(position);
    this.proceed();
  }

  private failed(entry: Entry, error: Error): void {
    this.unanswered--;
    entry.error = error;
    if (error instanceof OutcomeUnknownError) this.isAwaitingGhosts = true;
    this.state = 'failed';
    this.proceed();
  }

  /** Everything on its way has been answered, something with an error: the stream itself says what became of it. */
  private async recover(): Promise<void> {
    this.state = 'recovering';
    const failed = this.sent;
    this.sent = [];
    const from = Math.min(this.confirmed.revision + 1, ...failed.map(({ revision }) => revision));
    try {
      const positions = await this.readFrom(from);
      this.leaveToGhosts();
      this.tail = this.confirmed;
      this.waiting.unshift(...failed.filter((entry) => this.isToBeSentAgain(entry, positions)));
      this.state = 'sending';
    } catch (error) {
      // The store does not say; whoever comes next asks again before anything is sent.
      this.state = 'failed';
      for (const entry of [...failed, ...this.waiting.splice(0)]) {
        const own = entry.error;
        entry.reject(own === undefined || own instanceof WrongExpectedRevisionError ? (error as Error) : own);
      }
      return;
    }
    this.proceed();
  }

  /** The next record begins a stream that nothing is on its way to. */
  private leaveToGhosts(): void {
    if (!this.isAwaitingGhosts) return;
    this.isAwaitingGhosts = false;
    this.streams++;
    this.confirmed = beginning;
  }

  private isToBeSentAgain(entry: Entry, positions: ReadonlyMap<string, number>): boolean {
    const position = positions.get((entry.events[entry.events.length - 1] as EventToAppend).id);
    if (position !== undefined) entry.resolve(position);
    else if (entry.error instanceof WrongExpectedRevisionError && entry.attempts < attemptsMax) return true;
    else entry.reject(entry.error as Error);
    return false;
  }

  /** Positions of the events from a revision on, by id; the last of them is the confirmed end. */
  private async readFrom(from: number): Promise<Map<string, number>> {
    const positions = new Map<string, number>();
    for await (const page of this.log.readStream(this.current, { from })) {
      for (const event of page) {
        positions.set(event.id, event.position);
        this.confirmed = { revision: event.revision, digest: event.metadata.digest as string };
      }
    }
    return positions;
  }
}

function digestOfLast(events: readonly EventToAppend[]): string {
  return (events[events.length - 1] as EventToAppend).metadata.digest as string;
}
