import { SparsePlaces } from '#libs/kernel';
import { POSITION_STRIDE, type Position } from '../port';

/** Positions kept at most. */
const KNOWN_MAX = 16_384;

/** Events read from a known position on before a position that nobody knows is tried as it is. */
const WALK_EVENTS_MAX = 1_000;

/** How the positions of a server can be found out. All of them begin at a position at which an event is. */
export interface PositionSource {
  /** Positions of events from one on, in pages, oldest first. */
  from(position: Position | 'start'): AsyncIterable<readonly Position[]>;
  /** Position of the last event before one. */
  before(position: Position): Promise<Position | undefined>;
  /** Position of the last event of the log. */
  last(): Promise<Position | undefined>;
  /** What is at a position: an event, none between others, or none because the log has ended. Asked only where nothing better is known. */
  look(position: Position): Promise<'event' | 'nothing' | 'beyond'>;
}

/**
 * Real servers read only from positions at which an event is, and answer others with an internal error, while the port takes
 * any: one after an event's, a version derived from an event, a few below, or one that somebody made up. Positions seen are
 * kept, so that those near them can be told without asking; others are found by reading from the last known one on.
 */
export class Positions {
  private readonly known = new SparsePlaces<{ position: Position }>(KNOWN_MAX);

  constructor(private readonly source: PositionSource) {}

  /** An event is there. */
  note(position: Position): void {
    this.known.add({ position });
  }

  /** A position at which an event is, with none between it and the one given; 'start' when no event is before that. */
  async atOrBefore(position: Position): Promise<Position | 'start'> {
    if (position <= 0) return 'start';
    const floor = this.known.last((known) => known.position <= position)?.position;
    if (floor !== undefined && position - floor < POSITION_STRIDE) return floor;
    const above = this.known.after(position)?.position;
    if (above !== undefined && above - position < POSITION_STRIDE) return (await this.source.before(above)) ?? 'start';
    // A process that has seen nothing yet begins where its snapshot ends: at an event.
    const found = floor === undefined ? await this.look(position) : undefined;
    return found ?? this.walk(floor ?? 'start', position, floor === undefined);
  }

  private async walk(from: Position | 'start', to: Position, hasLooked: boolean): Promise<Position | 'start'> {
    let last = from;
    let walked = 0;
    for await (const page of this.source.from(from)) {
      for (const position of page) {
        if (position > to) return last;
        last = position;
      }
      if (typeof last === 'number') this.note(last);
      walked += page.length;
      if (hasLooked || walked <= WALK_EVENTS_MAX) continue;
      hasLooked = true;
      const found = await this.look(to);
      if (found !== undefined) return found;
    }
    return last;
  }

  private async look(position: Position): Promise<Position | 'start' | undefined> {
    const there = await this.source.look(position);
    if (there === 'event') this.note(position);
    if (there === 'nothing') return undefined;
    return there === 'event' ? position : ((await this.source.last()) ?? 'start');
  }
}
