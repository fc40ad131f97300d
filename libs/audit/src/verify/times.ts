import type { FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import type { EventMetadata } from '#libs/events';
import { appendOf } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';
import type { LeftOutStreams } from './left-out-streams';
import { PastTimes } from './past-times';

/** No event is earlier than the events it rests on: times grow with the positions that its writer reads. */
export class Times implements AppendCheck {
  readonly letter = 'T';
  /** Cluster time on which each writer's start was prepared, ms. */
  private readonly joinedAt = new Map<string, number>();
  private begunAt: number | undefined;
  private readonly past: PastTimes;
  /** For whoever does not read all streams: by the list of those that he leaves out. */
  private readonly inPart = new Map<readonly string[], PastTimes>();

  /** @param lag positions that are looked back over */
  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
    private readonly leftOut: LeftOutStreams,
    lag: number,
  ) {
    this.past = new PastTimes(lag);
    for (const except of leftOut.all()) this.inPart.set(except, new PastTimes(lag, except));
  }

  folded(frame: FoldedAppend): void {
    this.past.folded(frame);
    for (const times of this.inPart.values()) times.folded(frame);
  }

  append(events: readonly RecordedEvent[]): void {
    const { first, notes } = appendOf(events, this.cluster);
    const { at, time, basis } = notes;
    this.begunAt ??= time;
    if (at === undefined) return;
    if (at >= first.position) {
      this.findings.foundAt('T', first, `it was prepared at ${at}, which is not before it`);
      return;
    }
    const past = this.pastOf(notes.writer);
    const earliest = past.at(at);
    if (earliest !== undefined && time < earliest)
      this.findings.foundAt('T', first, `its time ${shown(time)} is before ${shown(earliest)}, when it was prepared`);
    if (first.type === 'ProcessStarted') this.joinedAt.set(notes.writer, earliest ?? this.begunAt);
    if (first.type === 'ClusterResumed') this.resumed(first, notes, earliest);
    if (!basis) return;
    const decidedOn = past.at(basis.position);
    if (basis.position > at) this.findings.foundAt('T', first, `it was decided at ${basis.position}, and prepared at ${at}`);
    else if (basis.now > time || (decidedOn !== undefined && basis.now < decidedOn))
      this.findings.foundAt(
        'T',
        first,
        `it was decided at ${shown(basis.now)}, which is outside [${shown(decidedOn ?? 0)}, ${shown(time)}]`,
      );
  }

  private pastOf(writer: string): PastTimes {
    const except = this.leftOut.of(writer);
    return (except && this.inPart.get(except)) ?? this.past;
  }

  /** A cluster goes on from the time at which it stood still: what its writer found when he joined. */
  private resumed(event: RecordedEvent, { writer, time }: EventMetadata, latest = Infinity): void {
    const { from, to } = event.data as { from: number; to: number };
    const earliest = this.joinedAt.get(writer) ?? 0;
    if (from < earliest || from > latest)
      this.findings.foundAt('T', event, `it says that the cluster stood still from ${shown(from)}, and the log goes to ${shown(earliest)}`);
    else if (to <= from || to > time) this.findings.foundAt('T', event, `it says that the cluster stood still until ${shown(to)}`);
  }
}

function shown(time: number): string {
  return Number.isFinite(time) && Math.abs(time) < 8.64e15 ? new Date(time).toISOString() : String(time);
}
