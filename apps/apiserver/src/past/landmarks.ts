import type { EventLog } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';

/** Places kept at most; beyond it every second of the older half is let go. */
const landmarksMax = 8_192;

/** The position of an event, and the cluster time it is from, ms. */
export interface Landmark {
  position: number;
  time: number;
}

/**
 * Where in the log which cluster time is, in steps: all of the newest, and the older the sparser. A moment is found by reading on from
 * the place before it; nobody asks a store for positions at which no event may be.
 */
export class Landmarks {
  /** By position, which is by time too. */
  private marks: Landmark[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly cluster: string,
  ) {}

  note(position: number, time: number): void {
    const place = this.placeAfter((mark) => mark.position <= position);
    if (this.marks[place - 1]?.position === position) return;
    this.marks.splice(place, 0, { position, time });
    if (this.marks.length <= landmarksMax) return;
    const half = this.marks.length >>> 1;
    this.marks = this.marks.filter((_, i) => i >= half || i % 2 === 0);
  }

  /** The last event that is from a time or before; undefined when all are later. */
  lastUpTo(time: number, head: number): Promise<Landmark | undefined> {
    return this.last((mark) => mark.position <= head && mark.time <= time);
  }

  /** The last event up to a position. */
  at(position: number): Promise<Landmark | undefined> {
    return this.last((mark) => mark.position <= position);
  }

  /** The first event of the log. */
  async first(): Promise<Landmark | undefined> {
    for await (const mark of this.from('start')) return mark;
    return undefined;
  }

  /** The last one before which, and with which, a condition holds. */
  private async last(holds: (mark: Landmark) => boolean): Promise<Landmark | undefined> {
    const known = this.marks[this.placeAfter(holds) - 1];
    const isKept = known !== undefined && known.position > (this.log.history?.forgotten ?? 0);
    let last: Landmark | undefined = isKept ? known : undefined;
    for await (const mark of this.from(last?.position ?? 'start')) {
      if (!holds(mark)) break;
      last = mark;
    }
    return last;
  }

  private async *from(position: number | 'start'): AsyncGenerator<Landmark> {
    const filter = { streamPrefixes: [clusterPrefix(this.cluster)] };
    for await (const page of this.log.readAll({ from: position, filter })) {
      for (const event of page) yield { position: event.position, time: event.metadata.time as number };
      const last = page[page.length - 1];
      if (last) this.note(last.position, last.metadata.time as number);
    }
  }

  private placeAfter(holds: (mark: Landmark) => boolean): number {
    let low = 0;
    let high = this.marks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.marks[middle] as Landmark)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
