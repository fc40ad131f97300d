import { EventLogError, LogUnavailableError, WrongExpectedRevisionError } from '../errors';
import type { AppendResult, EventToAppend, ExpectedRevision } from '../port';
import { isRetried, logError } from './client-errors';
import type { Connection } from './connection';
import { clientEvent, positionOf, revisionOf } from './conversion';

interface Append {
  stream: string;
  events: readonly EventToAppend[];
  expected: ExpectedRevision;
  bytes: number;
  order: number;
  /** When it is given up, ms since the epoch. */
  until: number;
  resolve(result: AppendResult): void;
  reject(error: Error): void;
}

/**
 * Appends on their way at once. The client writes them to one gRPC call, whose buffer takes 16 messages; with more, a
 * broken connection makes the client end in rejections that nobody can catch.
 */
const IN_FLIGHT_MAX = 12;
/** Answers that do not come: the client's own deadline covers only part of the way. */
const ANSWER_MS_MAX = 15_000;
const RETRY_MS_MIN = 25;
const RETRY_MS_MAX = 1_000;
/** Failed rounds after which the client itself is made anew. */
const ROUNDS_BEFORE_RENEWAL = 3;

/**
 * Appends in the order they were handed over, on a client of their own: what happens to reads must not move them to another
 * connection half-way. After a failure of the connection all that were on their way are sent again,
 * in the same order, with the same ids and expected revisions: what had been written is recognised by the store.
 */
export class AppendQueue {
  private waiting: Append[] = [];
  private inFlight = 0;
  private order = 0;
  private failedRounds = 0;
  /** Nothing is sent until what is under way has failed or come through. */
  private recovering = false;
  /**
   * No append has come through since nothing was under way. Until then only one is sent: the connection may have broken
   * unseen, and while the client opens a new call, those that find it open overtake the one that opens it.
   */
  private cold = true;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly giveUpAfterMs: number,
  ) {}

  append(stream: string, events: readonly EventToAppend[], expected: ExpectedRevision, bytes: number): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ stream, events, expected, bytes, order: this.order++, until: Date.now() + this.giveUpAfterMs, resolve, reject });
      this.send();
    });
  }

  close(): void {
    clearTimeout(this.timer);
    for (const { reject } of this.waiting.splice(0)) reject(new LogUnavailableError('the event log is closed'));
  }

  private send(): void {
    while (!this.recovering && this.inFlight < (this.cold ? 1 : IN_FLIGHT_MAX)) {
      const append = this.waiting.shift();
      if (!append) return;
      this.inFlight += 1;
      void this.attempt(append);
    }
  }

  private async attempt(append: Append): Promise<void> {
    try {
      const result = await this.answered(this.perform(append));
      this.cameThrough();
      append.resolve(result);
    } catch (error) {
      const failure = logError(error, append);
      if (!isRetried(error)) this.cameThrough();
      const mayComeThrough = isRetried(error) ? Date.now() < append.until : this.wasOvertaking(append, failure);
      if (mayComeThrough && !this.connection.isClosed) this.again(append);
      else append.reject(failure);
    } finally {
      this.inFlight -= 1;
      if (this.recovering && this.inFlight === 0) this.recover();
      else this.send();
      if (this.inFlight === 0) this.cold = true;
    }
  }

  private cameThrough(): void {
    this.failedRounds = 0;
    this.cold = this.recovering;
  }

  private async perform({ stream, events, expected }: Append): Promise<AppendResult> {
    const client = await this.connection.use();
    const expectedRevision = typeof expected === 'number' ? BigInt(expected) : expected;
    const result = await client.appendToStream(stream, events.map(clientEvent), { expectedRevision });
    if (!result.success) throw new EventLogError(`the event store refused an append to ${stream} without a reason`);
    return {
      revision: revisionOf(result.nextExpectedRevision),
      position: result.position && positionOf(result.position.commit),
    };
  }

  private answered(result: Promise<AppendResult>): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new LogUnavailableError(`no answer within ${ANSWER_MS_MAX} ms`)), ANSWER_MS_MAX);
      result.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** Refused only because one handed over earlier is to be sent again: no verdict yet. */
  private wasOvertaking({ stream, order }: Append, failure: Error): boolean {
    if (!(failure instanceof WrongExpectedRevisionError)) return false;
    return this.waiting.some((other) => other.stream === stream && other.order < order);
  }

  private again(append: Append): void {
    this.recovering = true;
    this.cold = true;
    const place = this.waiting.findIndex((other) => other.order > append.order);
    this.waiting.splice(place < 0 ? this.waiting.length : place, 0, append);
  }

  private recover(): void {
    this.failedRounds += 1;
    const renewal = this.failedRounds % ROUNDS_BEFORE_RENEWAL === 0 ? this.connection.renew() : undefined;
    const pauseMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (this.failedRounds - 1));
    this.timer = setTimeout(() => {
      void Promise.resolve(renewal).then(() => {
        this.recovering = false;
        this.send();
      });
    }, pauseMs);
  }
}
