import type { ExpectedRevision, Position, Revision } from './port';

/** The errors of a log, whichever adapter it is read through. */
export class EventLogError extends Error {
  override name = 'EventLogError';
}

/** An append expected another revision than its stream has. Nothing was written. */
export class WrongExpectedRevisionError extends EventLogError {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Undefined: there is no such stream. */
    readonly actual: Revision | undefined,
  ) {
    super(`append to ${stream} expected revision ${expected}, found ${actual ?? 'no stream'}`);
  }
}

/** An append to a stream that was closed for good (a tombstone). Nothing was written. */
export class StreamDeletedError extends EventLogError {
  constructor(readonly stream: string) {
    super(`stream ${stream} has been deleted for good`);
  }
}

/** An append is larger than a log takes: data, metadata and types of its events together, in bytes. Nothing was written. */
export class AppendTooLargeError extends EventLogError {
  constructor(
    readonly bytes: number,
    readonly bytesMax: number,
  ) {
    super(`append of ${bytes} bytes exceeds the limit of ${bytesMax}`);
  }
}

/** The log cannot be reached or written to now. Of an append: nothing was written, unless it is an OutcomeUnknownError. */
export class LogUnavailableError extends EventLogError {}

/** The time for it ran out, or nobody waited for it any more. Of an append: nothing was written, unless it is an OutcomeUnknownError. */
export class LogTimeoutError extends LogUnavailableError {}

/** An append was sent, and no answer tells whether it was written. */
export class OutcomeUnknownError extends LogTimeoutError {}

/** What tells a log from another: an event of it. */
export interface LogMark {
  position: Position;
  /** Of the event. */
  id: string;
}

/** Where the log was that was followed there is another one now. */
export class LogReplacedError extends EventLogError {
  constructor(
    readonly followed: LogMark,
    /** Undefined: nothing is at that position. */
    readonly found: LogMark | undefined,
  ) {
    const there = found ? `event ${found.id} at position ${found.position}` : 'no such event';
    super(
      `the event log is not the one that was followed: that has event ${followed.id} at position ${followed.position}, this one has ${there}`,
    );
  }
}

/** What was asked for lies before the events that the log still keeps. */
export class HistoryForgottenError extends EventLogError {
  constructor(
    readonly asked: number,
    /** Everything up to this position has been let go. */
    readonly forgotten: number,
  ) {
    super(`position ${asked} is no longer kept: the log has let go of everything up to ${forgotten}`);
  }
}

/** Another process holds the data folder. */
export class LogLockedError extends EventLogError {
  constructor(
    readonly folder: string,
    readonly holderPid: number,
  ) {
    super(`${folder} is in use by process ${holderPid}`);
  }
}
