import { LogTimeoutError, OutcomeUnknownError, type WaitSignal } from '#libs/event-log';

/** How far a write has come. */
export interface WriteProgress {
  /** Its append is on its way, or done. */
  isSent: boolean;
}

/**
 * Whatever a write waits for (the log, a reviewer, the fold), whoever asked is answered when their time is over. The log itself knows
 * best what became of an append, and says so first.
 * @param trouble why the log cannot be used, if it cannot
 * @throws LogTimeoutError, OutcomeUnknownError
 */
export function inTime<T>(
  work: Promise<T>,
  signal: WaitSignal | undefined,
  progress: WriteProgress,
  trouble: () => string | undefined,
): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const tooLate = (): Error => {
      const reason = trouble();
      const why = `${(signal.reason as Error).message}${reason === undefined ? '' : `: ${reason}`}`;
      return progress.isSent
        ? new OutcomeUnknownError(`${why}; it had been sent, and is perhaps written`)
        : new LogTimeoutError(`${why}; nothing was written`);
    };
    const giveUp = (): void => void setImmediate(() => reject(tooLate()));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
