import type { RecordedEvent } from '#libs/event-log';
import type { EventMetadata } from '#libs/events';

/**
 * How far what an append rests on lies before it, at most, over a whole log: so much of the past has to be at hand when the log is read
 * again. Fed with the first reading.
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
