/** Longest that a timer waits, ms. */
const timerMaxMs = 2_147_483_647;

/** Keeps the process alive until it is ended: a log that is read from its file, or an app without a server, does not. */
export function stay(): void {
  setInterval(() => undefined, timerMaxMs);
}
