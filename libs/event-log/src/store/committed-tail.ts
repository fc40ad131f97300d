import { countWhile } from '#libs/kernel';
import type { Position } from '../port';
import type { StoredEvent } from './stored-event';

const EVENTS_MAX = 4096;
const BYTES_MAX = 16 * 1024 * 1024;

/** The newest events, kept so that subscribers at the head get them without reading the file again. */
export class CommittedTail<P> {
  private events: StoredEvent<P>[] = [];
  private sizes: number[] = [];
  private bytes = 0;

  /** @param floor every event after this position is kept, so far. */
  constructor(private floor: Position) {}

  push(events: readonly StoredEvent<P>[], bytes: number): void {
    const each = bytes / events.length;
    for (const event of events) {
      this.events.push(event);
      this.sizes.push(each);
    }
    this.bytes += bytes;
    if (this.events.length > 2 * EVENTS_MAX || this.bytes > 2 * BYTES_MAX) this.shrink();
  }

  /** Events after the position, oldest first; undefined when some of them are no longer kept. */
  after(position: Position, limit: number): StoredEvent<P>[] | undefined {
    if (position < this.floor) return undefined;
    const first = countWhile(this.events, (event) => event.position <= position);
    return this.events.slice(first, first + limit);
  }

  private shrink(): void {
    let dropped = 0;
    while (dropped < this.events.length && (this.events.length - dropped > EVENTS_MAX || this.bytes > BYTES_MAX)) {
      this.bytes -= this.sizes[dropped]!;
      this.floor = this.events[dropped]!.position;
      dropped += 1;
    }
    this.events = this.events.slice(dropped);
    this.sizes = this.sizes.slice(dropped);
  }
}
