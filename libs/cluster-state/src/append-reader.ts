import type { RecordedEvent } from '#libs/event-log';
import { upcast, versionOf } from '#libs/events';
import { AppendGrouper, TornAppendError } from './append-grouper';

/** The events of one append, in order, as the newest versions of their types have them. */
export type Append = readonly RecordedEvent[];

/**
 * The one way from the events of a log to what they say: an older version of an event is read as the newest one, and events are put
 * together into whole appends. Whoever wants more than ids, positions and digests of a log reads it through this.
 */
export class AppendReader {
  private readonly grouper = new AppendGrouper();

  /** @param onTorn told of a part of an append, which is then left out; without it such a log is not read at all */
  constructor(private readonly onTorn?: (error: TornAppendError) => void) {}

  /** Takes the next event. Gives the append that it completes, if it does. @throws TornAppendError */
  add(event: RecordedEvent): Append | undefined {
    const newest = current(event);
    try {
      return this.grouper.add(newest);
    } catch (error) {
      if (!this.onTorn || !(error instanceof TornAppendError)) throw error;
      this.onTorn(error);
      return this.grouper.beginAnew(newest);
    }
  }

  /** Whether the last append has come to its end. */
  get isWhole(): boolean {
    return this.grouper.begun.length === 0;
  }

  /** The log has come to its end. @throws TornAppendError when its last append has not */
  end(): void {
    try {
      this.grouper.end();
    } catch (error) {
      if (!this.onTorn) throw error;
      this.onTorn(error as TornAppendError);
    }
  }
}

/** The event as the newest version of its type has it; the same object when it is that already. */
export function current(event: RecordedEvent): RecordedEvent {
  const { v } = event.metadata;
  const newest = versionOf(event.type);
  if (typeof v !== 'number' || v === newest) return event;
  return { ...event, data: upcast(event.type, v, event.data), metadata: { ...event.metadata, v: newest } };
}
