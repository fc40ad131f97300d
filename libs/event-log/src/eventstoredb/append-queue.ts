import type { AvailabilityMonitor } from '../availability';
import { EventLogError, LogUnavailableError, WrongExpectedRevisionError } from '../errors';
import type { AppendResult, WaitSignal } from '../port';
import { isRetried, isUnwritten, logError } from './client-errors';
import type { Connection } from './connection';
import { clientEvent, positionOf, revisionOf } from './conversion';
import type { LogGuard } from './log-guard';
import { PendingAppend, type AppendRequest } from './pending-append';

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
/** An append that was answered less than this ago, ms, says enough of whether appends are taken. */
const FRESH_MS = 500;
/** An append of no events: nothing is written, and it tells whether appends are taken. */
const PROBE: AppendRequest = { stream: 'kubereel-probe', events: [], expected: 'any', bytes: 0 };

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
  private waiting: PendingAppend[] = [];
  private inFlight = 0;
  private order = 0;
  private failedRounds = 0;
  /** Nothing is sent until what is under way has failed or come through. */
  private recovering = false;
  /**
   * From when nothing is under way until the next append has been answered. Meanwhile only one is sent: the connection may have
   * broken unseen, and while the client opens a new call for the first append, those behind it may overtake it.
   */
  private cold = true;
  /** When an append was last answered, ms since the epoch. */
  private throughAt = 0;
  private isHung = false;
  private lastFailure: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: AppendQueueOptions) {}

  append(request: AppendRequest, signal?: WaitSignal): Promise<AppendResult> {
    const givenUp = (given: PendingAppend): string | undefined => {
      const place = this.waiting.indexOf(given);
      if (place >= 0) this.waiting.splice(place, 1);
      return this.lastFailure;
    };
    const append = new PendingAppend(request, { order: this.order++, msMax: this.options.appendMsMax, signal, givenUp });
    this.waiting.push(append);
    if (signal?.aborted) append.onAbort();
    else this.send();
    return append.result;
  }

  /**
   * Resolves when the monitor knows whether appends are taken, within `msMax`, ms: from the appends under way, or from one that writes
   * nothing. Before the first append nothing is tried: this process may only be allowed to read.
   */
  async check(msMax: number): Promise<void> {
    const isTold = this.inFlight > 0 || this.recovering || this.waiting.length > 0;
    if (isTold || this.throughAt === 0 || Date.now() - this.throughAt < FRESH_MS) return;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`the event store has not answered for ${msMax / 1000} s`)), msMax);
    try {
      await this.append(PROBE, late.signal);
    } catch (error) {
      const { connection, monitor } = this.options;
      const silent = late.signal.aborted ? (late.signal.reason as Error).message : undefined;
      if (!connection.isClosed && monitor.isWell('appends')) monitor.trouble('appends', silent ?? (error as Error).message);
    } finally {
      clearTimeout(timer);
    }
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

  private async attempt(append: PendingAppend): Promise<void> {
    const sentBefore = append.uncertain;
    append.uncertain = true;
    try {
      const result = await this.answered(this.perform(append.request));
      this.cameThrough();
      append.resolve(result);
    } catch (error) {
      const failure = logError(error, append.request);
      if (isUnwritten(error)) append.uncertain = sentBefore;
      if (!isRetried(error)) this.cameThrough();
      else {
        this.options.guard.suspect();
        this.failed(failure);
      }
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
    this.throughAt = Date.now();
    this.cold = this.recovering;
    this.lastFailure = undefined;
    this.options.monitor.well('appends');
  }

  private failed(failure: Error): void {
    this.lastFailure = failure.message;
    this.options.monitor.trouble('appends', failure.message);
  }

  private async perform({ stream, events, expected }: AppendRequest): Promise<AppendResult> {
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
  private wasOvertaking({ request, order }: PendingAppend, failure: Error): boolean {
    if (!(failure instanceof WrongExpectedRevisionError)) return false;
    return this.waiting.some((other) => other.request.stream === request.stream && other.order < order);
  }

  private again(append: PendingAppend): void {
    this.recovering = true;
    this.cold = true;
    if (append.settled) return;
    const place = this.waiting.findIndex((other) => other.order > append.order);
    this.waiting.splice(place < 0 ? this.waiting.length : place, 0, append);
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
        await this.answered(this.perform(PROBE));
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
