import type { AvailabilityMonitor } from '../availability';
import { EventLogError, LogTimeoutError, LogUnavailableError, OutcomeUnknownError, WrongExpectedRevisionError } from '../errors';
import type { AppendResult, EventToAppend, ExpectedRevision } from '../port';
import { isRetried, isUnwritten, logError } from './client-errors';
import type { Connection } from './connection';
import { clientEvent, positionOf, revisionOf } from './conversion';
import type { LogGuard } from './log-guard';

interface Append {
  stream: string;
  events: readonly EventToAppend[];
  expected: ExpectedRevision;
  bytes: number;
  order: number;
  /** It was sent, and no answer tells what became of it. */
  uncertain: boolean;
  settled: boolean;
  resolve(result: AppendResult): void;
  reject(error: Error): void;
}

/**
 * Appends on their way at once. The client writes them to one gRPC call, whose buffer takes 16 messages; with more, a
 * broken connection makes the client end in rejections that nobody can catch.
 */
const IN_FLIGHT_MAX = 12;
/** An answer that does not come for so long, ms, means that the connection is dead, though nobody has said so. */
const ANSWER_MS_MAX = 5_000;
const RETRY_MS_MIN = 25;
const RETRY_MS_MAX = 1_000;
/** Failed rounds after which the client itself is made anew. */
const ROUNDS_BEFORE_RENEWAL = 3;
/** Nothing is ever written to it: an append of no events tells whether appends are taken. */
const PROBE_STREAM = 'kubereel-probe';

export interface AppendQueueOptions {
  connection: Connection;
  guard: LogGuard;
  monitor: AvailabilityMonitor;
  /** Longest that an append may take, ms. */
  appendMsMax: number;
}

/**
 * Appends in the order they were handed over, on a client of their own: what happens to reads must not move them to another
 * connection half-way. After a failure of the connection all that were on their way are sent again,
 * in the same order, with the same ids and expected revisions: what had been written is recognised by the store.
 * What nobody waits for any more is not sent again.
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
  private isHung = false;
  private lastFailure: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: AppendQueueOptions) {}

  append(
    stream: string,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
    bytes: number,
    signal?: AbortSignal,
  ): Promise<AppendResult> {
    const { appendMsMax } = this.options;
    return new Promise((resolve, reject) => {
      const release = (): void => {
        append.settled = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const append: Append = {
        stream,
        events,
        expected,
        bytes,
        order: this.order++,
        uncertain: false,
        settled: false,
        resolve: (result) => (release(), resolve(result)),
        reject: (error) => (release(), reject(error)),
      };
      const timer = setTimeout(() => this.abandon(append, `no append within ${appendMsMax / 1000} s`), appendMsMax);
      const onAbort = (): void => this.abandon(append, (signal?.reason as Error | undefined)?.message ?? 'nobody waits any more');
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(append);
      if (signal?.aborted) onAbort();
      else this.send();
    });
  }

  close(): void {
    clearTimeout(this.timer);
    this.rejectAll(new LogUnavailableError('the event log is closed'));
  }

  private send(): void {
    const { guard } = this.options;
    if (guard.isSuspicious && !this.recovering && this.waiting.length > 0) {
      this.recovering = true;
      if (this.inFlight === 0) this.recover();
    }
    while (!this.recovering && this.inFlight < (this.cold ? 1 : IN_FLIGHT_MAX)) {
      const append = this.waiting.shift();
      if (!append) return;
      this.inFlight += 1;
      void this.attempt(append);
    }
  }

  private async attempt(append: Append): Promise<void> {
    const sentBefore = append.uncertain;
    append.uncertain = true;
    try {
      const result = await this.answered(this.perform(append));
      this.cameThrough();
      append.resolve(result);
    } catch (error) {
      const failure = logError(error, append);
      if (isUnwritten(error)) append.uncertain = sentBefore;
      if (!isRetried(error)) this.cameThrough();
      else this.failed(failure);
      if ((isRetried(error) || this.wasOvertaking(append, failure)) && !this.options.connection.isClosed) this.again(append);
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
    this.lastFailure = undefined;
    this.options.monitor.well('appends');
  }

  private failed(failure: Error): void {
    this.lastFailure = failure.message;
    this.options.monitor.trouble('appends', failure.message);
  }

  private async perform({ stream, events, expected }: Pick<Append, 'stream' | 'events' | 'expected'>): Promise<AppendResult> {
    const client = await this.options.connection.use();
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
      const timer = setTimeout(() => {
        this.isHung = true;
        reject(new LogUnavailableError(`the event store has not answered for ${ANSWER_MS_MAX / 1000} s`));
      }, ANSWER_MS_MAX);
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
    if (append.settled) return;
    const place = this.waiting.findIndex((other) => other.order > append.order);
    this.waiting.splice(place < 0 ? this.waiting.length : place, 0, append);
  }

  /** Its time has run out, or nobody waits for it. On its way it can no longer be stopped, but it is not sent again. */
  private abandon(append: Append, why: string): void {
    const place = this.waiting.indexOf(append);
    if (place >= 0) this.waiting.splice(place, 1);
    const cause = this.lastFailure === undefined ? '' : `: ${this.lastFailure}`;
    append.reject(
      append.uncertain
        ? new OutcomeUnknownError(`${why}${cause}; it had been sent, and is perhaps written`)
        : new LogTimeoutError(`${why}${cause}; nothing was written`),
    );
  }

  private rejectAll(error: Error): void {
    for (const append of this.waiting.splice(0)) append.reject(error);
  }

  private recover(): void {
    this.failedRounds += 1;
    const { connection } = this.options;
    const renewal = this.isHung || this.failedRounds % ROUNDS_BEFORE_RENEWAL === 0 ? connection.renew() : undefined;
    this.isHung = false;
    const pauseMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (this.failedRounds - 1));
    this.timer = setTimeout(() => void this.resume(renewal), pauseMs);
  }

  private async resume(renewal: Promise<void> | undefined): Promise<void> {
    const { connection, guard, monitor } = this.options;
    try {
      await renewal;
      await guard.assured();
      // Somebody has to find out that appends are taken again, also when nobody has one.
      if (this.waiting.length === 0 && !monitor.isWell('appends')) {
        await this.answered(this.perform({ stream: PROBE_STREAM, events: [], expected: 'any' }));
        this.cameThrough();
      }
    } catch (error) {
      if (connection.isClosed) return;
      const failure = logError(error);
      if (isRetried(error)) {
        this.failed(failure);
        this.recover();
        return;
      }
      monitor.trouble('appends', failure.message);
      this.rejectAll(failure);
    }
    this.recovering = false;
    this.send();
  }
}
