import type { EventLog } from '#libs/event-log';

/** An election, a restart: what is over sooner, ms, is not worth a line. */
const quietMs = 1_000;

/** One line when the event log can no longer be used, and one when it can again. Returns how to stop. */
export function reportAvailability(log: EventLog, say: (line: string) => void): () => void {
  let since = 0;
  let told = false;
  let timer: NodeJS.Timeout | undefined;
  const stop = log.onAvailability((availability) => {
    clearTimeout(timer);
    if (!availability.available) {
      since = Date.now();
      timer = setTimeout(() => {
        told = true;
        say(`${availability.reason}; reads go on from memory, writes fail until it is back`);
      }, quietMs).unref();
    } else if (told) {
      told = false;
      say(`the event log can be used again, after ${Math.round((Date.now() - since) / 1000)} s`);
    }
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
