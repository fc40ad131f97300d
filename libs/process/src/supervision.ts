/** Longest that an app takes to close, ms of real time. */
const stopGraceMs = 1_500;

/** What a supervising process sends to one that waits for the event store. */
export interface StartMessage {
  start: true;
}

export interface Supervision {
  /** Resolves when the supervisor says that the event store is there; at once where nobody supervises. */
  mayStart: Promise<void>;
  /** From now on the process is closed in order before it ends. */
  closeWith(close: () => Promise<unknown>): void;
}

/**
 * Ends this process on TERM, on Ctrl-C, and when the process that supervises it has gone, however it went and however far the
 * start has come. Call it before anything is awaited. Ctrl-C on a terminal reaches every process of the group: one that is
 * supervised leaves it to its supervisor, which stops the apps before the store.
 */
export function supervision(): Supervision {
  let close: (() => Promise<unknown>) | undefined;
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    if (!close) process.exit(0);
    setTimeout(() => process.exit(0), stopGraceMs);
    void close().finally(() => process.exit(0));
  };
  const supervised = process.send !== undefined;
  process.on('SIGTERM', stop);
  process.on('SIGINT', supervised ? () => undefined : stop);
  process.on('disconnect', stop);
  if (supervised && !process.connected) stop();
  return {
    mayStart: process.env.KUBEREEL_SUPERVISED && supervised ? started() : Promise.resolve(),
    closeWith: (callback) => (close = callback),
  };
}

function started(): Promise<void> {
  return new Promise((resolve) => {
    const hear = (message: unknown): void => {
      if (!(message as Partial<StartMessage>).start) return;
      process.off('message', hear);
      resolve();
    };
    process.on('message', hear);
  });
}
