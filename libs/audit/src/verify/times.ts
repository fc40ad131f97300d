import type { RecordedEvent } from '#libs/event-log';
import { appendOf } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';
import type { RecentPast } from './recent-past';

/** Nothing is earlier than what it rests on: times of the log grow with its positions, whoever writes. */
export class Times implements AppendCheck {
  readonly letter = 'T';

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
    private readonly past: RecentPast,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const { first, notes } = appendOf(events, this.cluster);
    const { at, time, basis } = notes;
    if (at === undefined) return;
    if (at >= first.position) {
      this.findings.foundAt('T', first, `it was prepared at ${at}, which is not before it`);
      return;
    }
    const earliest = this.past.timeAt(at);
    if (earliest !== undefined && time < earliest)
      this.findings.foundAt('T', first, `its time ${shown(time)} is before ${shown(earliest)}, when it was prepared`);
    if (!basis) return;
    const decidedOn = this.past.timeAt(basis.position);
    if (basis.position > at) this.findings.foundAt('T', first, `it was decided at ${basis.position}, and prepared at ${at}`);
    else if (basis.now > time || (decidedOn !== undefined && basis.now < decidedOn))
      this.findings.foundAt(
        'T',
        first,
        `it was decided at ${shown(basis.now)}, which is outside [${shown(decidedOn ?? 0)}, ${shown(time)}]`,
      );
  }
}

function shown(time: number): string {
  return Number.isFinite(time) && Math.abs(time) < 8.64e15 ? new Date(time).toISOString() : String(time);
}
