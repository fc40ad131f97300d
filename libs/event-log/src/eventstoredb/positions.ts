import { EventLogError } from '../errors';
import { POSITION_STRIDE, type Position } from '../port';
import { GenerationCache } from '../store/generation-cache';

const KNOWN_MAX = 10_000;

/** How the positions of a server can be found out. */
export interface PositionProbe {
  /** Whether reading can begin there. */
  isValid(position: Position): Promise<boolean>;
  /** Position of the last event before a valid one. */
  before(position: Position): Promise<Position | undefined>;
}

/**
 * Real servers read only from positions at which an event is, while the port takes any: one after an event's, or one of a
 * version derived from an event, a few below. Both are less than a stride away from an event, so it can be found.
 */
export class Positions {
  private readonly known = new GenerationCache<Position, true>(KNOWN_MAX);

  constructor(private readonly probe: PositionProbe) {}

  note(position: Position): void {
    this.known.set(position, true);
  }

  /** A valid position with no event between it and the one given; 'start' when no event is before that. */
  async atOrBefore(position: Position): Promise<Position | 'start'> {
    for (let near = 0; near < POSITION_STRIDE; near++) if (this.known.get(position - near)) return position - near;
    for (let near = 0; near < POSITION_STRIDE && near <= position; near++) {
      if (await this.isValid(position - near)) return position - near;
    }
    for (let near = 1; near < POSITION_STRIDE; near++) {
      if (await this.isValid(position + near)) return (await this.probe.before(position + near)) ?? 'start';
    }
    throw new EventLogError(`the event store has no event near position ${position}`);
  }

  private async isValid(position: Position): Promise<boolean> {
    const valid = await this.probe.isValid(position);
    if (valid) this.note(position);
    return valid;
  }
}
