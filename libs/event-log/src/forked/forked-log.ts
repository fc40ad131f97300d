import type { Availability, AvailabilityListener } from '../availability';
import { EventLogError, StreamDeletedError, WrongExpectedRevisionError } from '../errors';
import type {
  AppendOptions,
  AppendResult,
  BoundedHistory,
  EventFilter,
  EventLog,
  EventToAppend,
  ExpectedRevision,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  Revision,
  SubscribeOptions,
  Subscription,
  SubscriptionHandlers,
} from '../port';
import { ChainedSubscription } from './chained-subscription';
import { OwnNames } from './own-names';
import { ParentPart } from './parent-part';

export interface ForkedLogOptions {
  /** Stays open when the fork is closed: others may read it, or have forks of it. */
  parent: EventLog;
  /** The last position of the parent that is the fork's history too. No append may lie across it. */
  position: Position;
  /** What is written to the fork: any log that keeps all of its events, empty at first. Closed with the fork. */
  own: EventLog;
  /** Where the own part shares a store with others: what its stream names begin with, and what is stored instead. */
  names?: { shown: string; stored: string };
}

/**
 * A log that shares another log's events up to a position, without copying them, and has its own after it. Positions and revisions go on
 * from the parent's; what is written to the parent later is not seen.
 */
export class ForkedLog implements EventLog {
  private readonly parent: ParentPart;
  private readonly names: OwnNames;
  /** Added to the own part's positions. */
  private readonly offset: Position;

  constructor(private readonly options: ForkedLogOptions) {
    if (options.own.history) throw new EventLogError('the own part of a fork keeps all that is written to it');
    this.parent = new ParentPart(options.parent, options.position);
    this.names = new OwnNames(options.names?.shown, options.names?.stored);
    this.offset = options.position;
  }

  get readsAnywhere(): boolean {
    return this.options.parent.readsAnywhere === true && this.options.own.readsAnywhere === true;
  }

  /** What the parent lets go of, as far as it is history of the fork. */
  get history(): BoundedHistory | undefined {
    const { offset } = this;
    const { history } = this.options.parent;
    return (
      history && {
        get forgotten() {
          return Math.min(history.forgotten, offset);
        },
        onForget: (listener) =>
          history.onForget((events) => {
            const seen = events.filter(({ position }) => position <= offset);
            if (seen.length > 0) listener(seen);
          }),
      }
    );
  }

  async append(
    stream: string,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
    options?: AppendOptions,
  ): Promise<AppendResult> {
    const head = await this.parent.head(stream);
    const mapped = ownExpectation(expected, head);
    if (mapped === undefined) return this.repeated(stream, events, expected, head);
    try {
      const { revision, position } = await this.options.own.append(this.names.toStored(stream), events, mapped, options);
      return {
        revision: revision === undefined ? (head < 0 ? undefined : head) : revision + head + 1,
        position: position === undefined ? undefined : position + this.offset,
      };
    } catch (error) {
      if (error instanceof StreamDeletedError) throw new StreamDeletedError(stream);
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      const actual = error.actual === undefined ? head : error.actual + head + 1;
      throw new WrongExpectedRevisionError(stream, expected, actual < 0 ? undefined : actual);
    }
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    const head = await this.parent.head(stream);
    const { from } = options;
    const isBackwards = options.direction === 'backwards';
    let left = options.limit ?? Infinity;
    const own = async function* (this: ForkedLog): AsyncGenerator<readonly RecordedEvent[]> {
      if (left <= 0 || (isBackwards && typeof from === 'number' && from <= head)) return;
      const ownFrom = typeof from === 'number' ? Math.max(0, from - head - 1) : from;
      for await (const page of this.options.own.readStream(this.names.toStored(stream), { ...options, from: ownFrom, limit: left })) {
        left -= page.length;
        yield page.map((event) => this.shown(event, head + 1));
      }
    }.bind(this);
    const inherited = async function* (this: ForkedLog): AsyncGenerator<readonly RecordedEvent[]> {
      if (left <= 0 || (!isBackwards && (from === 'end' || (typeof from === 'number' && from > head))) || (isBackwards && from === 'start'))
        return;
      for await (const page of this.parent.readStream(stream, { ...options, limit: left })) {
        left -= page.length;
        yield page;
      }
    }.bind(this);
    for (const part of isBackwards ? [own, inherited] : [inherited, own]) yield* part();
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    let left = options.limit ?? Infinity;
    for await (const page of options.direction === 'backwards' ? this.backwards(options) : this.forwards(options)) {
      if (left <= 0) return;
      const events = page.length > left ? page.slice(0, left) : page;
      left -= events.length;
      if (events.length > 0) yield events;
      if (left <= 0) return;
    }
  }

  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription {
    const { parent, own } = this.options;
    const { after, filter } = options;
    const follow = (from: Position | 'start' | 'end'): Subscription =>
      own.subscribe(
        { after: from, filter: this.names.filter(filter) },
        {
          events: (batch) => this.delivered(batch, handlers),
          caughtUp: () => handlers.caughtUp(),
          failed: (error) => handlers.failed(error),
        },
      );
    if (after === 'end') return follow('end');
    if (after !== 'start' && after >= this.offset) return follow(after === this.offset ? 'start' : after - this.offset);
    return new ChainedSubscription(parent, { after, filter }, this.offset, handlers, () => follow('start'));
  }

  async head(filter?: EventFilter): Promise<Position | undefined> {
    const own = await this.options.own.head(this.names.filter(filter));
    if (own !== undefined) return own + this.offset;
    for await (const [last] of this.parent.backwards(Infinity, filter)) return last?.position;
    return undefined;
  }

  async check(msMax?: number): Promise<Availability> {
    const { own, parent } = this.options;
    const [writes, reads] = await Promise.all([own.check(msMax), parent.check(msMax)]);
    return writes.available ? reads : writes;
  }

  onAvailability(listener: AvailabilityListener): () => void {
    const { own, parent } = this.options;
    const stops = [own.onAvailability(listener), parent.onAvailability(listener)];
    return () => stops.forEach((stop) => stop());
  }

  close(): Promise<void> {
    return this.options.own.close();
  }

  private async *forwards({ from = 'start', until = Infinity, filter }: ReadAllOptions): AsyncGenerator<readonly RecordedEvent[]> {
    if (from === 'end') return;
    if (from === 'start' || from <= this.offset) yield* this.parent.forwards(from, filter);
    if (until <= this.offset) return;
    const ownFrom = from === 'start' || from <= this.offset ? 'start' : from - this.offset;
    yield* this.ownPages({ from: ownFrom, until: until - this.offset, filter });
  }

  private async *backwards({ from = 'end', filter }: ReadAllOptions): AsyncGenerator<readonly RecordedEvent[]> {
    if (from === 'start') return;
    if (from === 'end' || from > this.offset)
      yield* this.ownPages({ direction: 'backwards', from: from === 'end' ? from : from - this.offset, filter });
    yield* this.parent.backwards(from === 'end' ? Infinity : from, filter);
  }

  private async *ownPages(options: ReadAllOptions): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of this.options.own.readAll({ ...options, filter: this.names.filter(options.filter) })) {
      const heads = this.knownHeads(page);
      yield heads ? page.map((event) => this.shown(event, heads(event))) : await this.withHeads(page);
    }
  }

  /** Without waiting where every stream of the page is known, so that whoever counts turns of the loop finds them as in any other log. */
  private knownHeads(page: readonly RecordedEvent[]): ((event: RecordedEvent) => Revision) | undefined {
    const heads = new Map<string, Revision>();
    for (const { stream } of page) {
      if (heads.has(stream)) continue;
      const head = this.parent.knownHead(this.names.toShown(stream));
      if (head === undefined) return undefined;
      heads.set(stream, head + 1);
    }
    return ({ stream }) => heads.get(stream) as Revision;
  }

  private async withHeads(page: readonly RecordedEvent[]): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for (const event of page) events.push(this.shown(event, (await this.parent.head(this.names.toShown(event.stream))) + 1));
    return events;
  }

  private delivered(batch: readonly RecordedEvent[], handlers: SubscriptionHandlers): void | Promise<void> {
    const heads = this.knownHeads(batch);
    if (heads) return handlers.events(batch.map((event) => this.shown(event, heads(event))));
    return this.withHeads(batch).then((events) => handlers.events(events));
  }

  /** An event of the own part, as a reader of the fork sees it. */
  private shown(event: RecordedEvent, revisionOffset: Revision): RecordedEvent {
    return {
      ...event,
      stream: this.names.toShown(event.stream),
      revision: event.revision + revisionOffset,
      position: event.position + this.offset,
    };
  }

  /** The expected revision is in the parent's part, which cannot grow: the append succeeds only if these very events are there already. */
  private async repeated(
    stream: string,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
    head: Revision,
  ): Promise<AppendResult> {
    const from = typeof expected === 'number' ? expected + 1 : 0;
    const there: RecordedEvent[] = [];
    for await (const page of this.parent.readStream(stream, { from, limit: events.length })) there.push(...page);
    const last = there[there.length - 1];
    const isSame = last !== undefined && there.length === events.length && there.every(({ id }, i) => id === events[i]?.id);
    if (isSame) return { revision: last.revision, position: last.position };
    const own = this.options.own.readStream(this.names.toStored(stream), { direction: 'backwards', limit: 1 });
    let actual = head;
    for await (const [event] of own) if (event) actual = event.revision + head + 1;
    throw new WrongExpectedRevisionError(stream, expected, actual);
  }
}

/** What is expected of the own part of a stream; undefined: that cannot be. */
function ownExpectation(expected: ExpectedRevision, head: Revision): ExpectedRevision | undefined {
  if (head < 0 || expected === 'any') return expected;
  if (expected === 'stream_exists') return 'any';
  if (expected === 'no_stream' || expected < head) return undefined;
  return expected === head ? 'no_stream' : expected - head - 1;
}
