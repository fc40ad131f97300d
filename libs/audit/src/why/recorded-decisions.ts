import type { RecordedEvent } from '#libs/event-log';
import type { Basis } from '#libs/events';

/** Collects decisions while the log is read. Only an append's first event carries the basis; the others follow it. */
export class DecisionCollector {
  /** The decision that each event came of, by its position. */
  private readonly names = new Map<number, string>();
  private readonly events = new Map<string, RecordedEvent[]>();
  private current: string | undefined;

  /** The decision that the event at this position came of. */
  decisionAt(position: number): string | undefined {
    return this.names.get(position);
  }

  /** Every event that came of a decision, in log order. */
  eventsOf(decision: string): readonly RecordedEvent[] {
    return this.events.get(decision) ?? [];
  }

  /** @param event as EventReader gives it */
  add(event: RecordedEvent): void {
    if (event.metadata.i === 1) this.current = (event.metadata.basis as Basis | undefined)?.decision;
    if (this.current === undefined) return;
    this.names.set(event.position, this.current);
    const known = this.events.get(this.current);
    if (known) known.push(event);
    else this.events.set(this.current, [event]);
  }
}
