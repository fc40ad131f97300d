import type { RecordedEvent } from '#libs/event-log';
import { AppendGrouper, TornAppendError } from './append-grouper';
import { EventReader } from './event-reader';

/** The events of one append, in order, as EventReader gives them. */
export type Append = readonly RecordedEvent[];

/**
 * The one way from the events of a log to what they say: each is read with all of its metadata and in the newest version, and events
 * are put together into whole appends. Whoever wants more than ids, positions and digests of a log reads it through this.
 */
export class AppendReader {
  private readonly events = new EventReader();
  private readonly grouper = new AppendGrouper();

  /** @param onTorn told of a part of an append, which is then left out; without it such a log is not read at all */
  constructor(private readonly onTorn?: (error: TornAppendError) => void) {}

  /** Takes the next event. Gives the append that it completes, if it does. @throws TornAppendError */
  add(event: RecordedEvent): Append | undefined {
    const newest = this.events.read(event);
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
