import type { EventLog } from '#libs/event-log';

/** How long an app that is started before its event store waits for it, ms. */
const awaitLogMsMax = 60_000;
const pauseMs = 250;

/** Resolves when the log can be used, or has not been for a minute: whoever needs it then says why. One line when there is something to wait for. */
export async function awaitLog(log: EventLog, say: (line: string) => void, msMax = awaitLogMsMax): Promise<void> {
  const until = Date.now() + msMax;
  for (let told = false; ; told = true) {
    const availability = await log.check();
    if (availability.available || Date.now() >= until) return;
    if (!told) say(`${availability.reason}; waiting for it`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
