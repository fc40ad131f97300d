import type { RecordedEvent } from '#libs/event-log';
import type { EventMetadata } from '#libs/events';

/**
 * The longest distance, in a whole log, between an append and the position it was prepared at: so much of the past is kept while the log
 * is read again. Fed with the first reading.
 */
export class LongestLag {
  /** In positions. */
  longest = 0;

  /** @param event as EventReader gives it */
  add({ position, metadata }: RecordedEvent): void {
    const { i, at = position, basis } = metadata as unknown as EventMetadata;
    if (i === 1) this.longest = Math.max(this.longest, position - Math.min(at, basis?.position ?? at));
  }
}
