import type { EventLog, RecordedEvent } from '#libs/event-log';

/** Everything in a log, as it is stored. */
export async function eventsIn(log: EventLog): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of log.readAll()) events.push(...page);
  return events;
}

const pageMax = 256;

/** A log of these events, whatever their positions and revisions are: to be read, by whoever reads it from the beginning. */
export function logOf(events: readonly RecordedEvent[]): EventLog {
  const log: Pick<EventLog, 'readAll' | 'close'> = {
    async *readAll({ from = 'start' } = {}) {
      const wanted = typeof from === 'number' ? events.filter(({ position }) => position >= from) : events;
      for (let at = 0; at < wanted.length; at += pageMax) yield wanted.slice(at, at + pageMax);
    },
    close: () => Promise.resolve(),
  };
  return log as EventLog;
}
