import { current } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { eventClasses, InvalidEventError, validateEvent } from '#libs/events';
import type { EventCheck } from './check';
import type { Findings } from './finding';

/** Checks each payload against its type, in its newest version, nested values included. */
export class Payloads implements EventCheck {
  readonly letter = 'Y';

  constructor(private readonly findings: Findings) {}

  event(event: RecordedEvent): void {
    if (!eventClasses.has(event.type)) return;
    try {
      validateEvent(event.type, current(event).data);
    } catch (error) {
      if (!(error instanceof InvalidEventError)) throw error;
      this.findings.foundAt('Y', event, error.problems.join('; '), { kind: 'invalid' });
    }
  }
}
