import type { ExpectedRevision, Revision } from './port';

export class EventLogError extends Error {
  override name = 'EventLogError';
}

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

export class StreamDeletedError extends EventLogError {
  constructor(readonly stream: string) {
    super(`stream ${stream} has been deleted for good`);
  }
}

export class AppendTooLargeError extends EventLogError {
  constructor(
    readonly bytes: number,
    readonly bytesMax: number,
  ) {
    super(`append of ${bytes} bytes exceeds the limit of ${bytesMax}`);
  }
}

export class LogUnavailableError extends EventLogError {}

/** Another process holds the data folder. */
export class LogLockedError extends EventLogError {
  constructor(
    readonly folder: string,
    readonly holderPid: number,
  ) {
    super(`${folder} is in use by process ${holderPid}`);
  }
}
