import { GenerationCache } from '#libs/kernel';
import type { EventFilter, EventLog, Position, ReadStreamOptions, RecordedEvent, Revision } from '../port';

const headsMax = 10_000;

/** A log as it was at one of its positions: nothing that was written to it later is seen. */
export class ParentPart {
  /** Last revisions, of the streams that were asked for. */
  private readonly heads = new GenerationCache<string, Revision>(headsMax);

  constructor(
    private readonly log: EventLog,
    /** The last one that is seen. */
    readonly end: Position,
  ) {}

  /** Revision of a stream's last event; -1: there was none. */
  async head(stream: string): Promise<Revision> {
    let head = this.heads.get(stream);
    if (head === undefined) this.heads.set(stream, (head = await this.findHead(stream)));
    return head;
  }

  /** The same, where it has been found out before. */
  knownHead(stream: string): Revision | undefined {
    return this.heads.get(stream);
  }

  async *readStream(stream: string, options: ReadStreamOptions): AsyncGenerator<readonly RecordedEvent[]> {
    const head = await this.head(stream);
    const isBackwards = options.direction === 'backwards';
    const from = typeof options.from === 'number' ? options.from : isBackwards ? head : 0;
    const count = isBackwards ? Math.min(from, head) + 1 : head - from + 1;
    const limit = Math.min(options.limit ?? Infinity, count);
    if (limit <= 0) return;
    yield* this.log.readStream(stream, { direction: options.direction, from: isBackwards ? Math.min(from, head) : from, limit });
  }

  async *forwards(from: Position | 'start', filter: EventFilter | undefined): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of this.log.readAll({ from, filter })) {
      const seen = page.filter(({ position }) => position <= this.end);
      if (seen.length > 0) yield seen;
      if (seen.length < page.length) return;
    }
  }

  /** Before a position, last first. */
  backwards(before: Position, filter: EventFilter | undefined): AsyncIterable<readonly RecordedEvent[]> {
    return this.log.readAll({ direction: 'backwards', from: Math.min(before, this.end + 1), filter });
  }

  /** Revisions grow with positions, so the last one that is seen is found by halving. */
  private async findHead(stream: string): Promise<Revision> {
    const last = await this.eventAt(stream, 'end');
    if (!last || last.position <= this.end) return last?.revision ?? -1;
    let low = -1;
    let high = last.revision;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const event = await this.eventAt(stream, middle);
      // Before what a truncated stream shows there is nothing to see.
      if (!event || event.position <= this.end) low = middle;
      else high = middle;
    }
    return low;
  }

  private async eventAt(stream: string, from: Revision | 'end'): Promise<RecordedEvent | undefined> {
    for await (const [event] of this.log.readStream(stream, { direction: 'backwards', from, limit: 1 })) return event;
    return undefined;
  }
}
