import type { RecordedEvent } from '#libs/event-log';
import { appendOf, isLeadership, type Append } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';

/** A writer's life, as far as the log has been read. */
interface Life {
  /** It wrote before appends were numbered. */
  isOlder: boolean;
  hasStarted: boolean;
  hasStopped: boolean;
  /** The log was forked since. */
  isOfParent?: boolean;
}

/** No process writes before the event of its start or after that of its stop; a controller decides only after its own start is recorded. */
export class WriterLives implements AppendCheck {
  readonly letter = 'P';
  private readonly lives = new Map<string, Life>();
  /** Who started controllers, by `controller/position`; an empty writer: missing, and said. */
  private readonly incarnations = new Map<string, string>();
  private firstEvent: RecordedEvent | undefined;
  private isCreated = false;
  /** An API server has made something, or served somebody: neither is done before the cluster has begun. */
  private isServed = false;
  /** Position of the last event so far. */
  private last = 0;
  private older = { count: 0, from: 0, to: 0 };
  private firstNumbered: number | undefined;

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const append = appendOf(events, this.cluster);
    const { first, notes } = append;
    this.firstEvent ??= first;
    if (first.type === 'ClusterCreated') this.created(first);
    this.isServed ||= notes.actor === 'apiserver' || notes.actor.startsWith('user:');
    if (first.type === 'ControllerStarted') this.incarnations.set(`${first.data.controller as string}/${first.position}`, notes.writer);
    this.hasController(append);
    // A fork begins before anybody has joined it.
    if (first.type === 'LogForked') this.forked(first);
    else if (!isLeadership(append)) this.isAlive(append);
    this.last = (events[events.length - 1] as RecordedEvent).position;
  }

  end(): void {
    const { count, from, to } = this.older;
    if (this.firstEvent && this.isServed && !this.isCreated)
      this.findings.foundAt('P', this.firstEvent, 'the beginning of the cluster is not in the log');
    if (count === 0) return;
    // Processes of both versions may have written side by side for a while.
    const until = Math.max(this.firstNumbered ?? 0, to);
    const text = `written by a version that did not number its appends: what is missing, and what clients wrote, is not provable before position ${until}`;
    this.findings.unproven(`older-part=${until}`, from, text, { to, count });
  }

  private isAlive({ first, notes }: Append): void {
    const { writer, w } = notes;
    let life = this.lives.get(writer);
    if (!life)
      this.lives.set(
        writer,
        (life = { isOlder: w === undefined && this.firstNumbered === undefined, hasStarted: false, hasStopped: false }),
      );
    if (w === undefined) this.unnumbered(life, first, writer);
    else this.numbered(life, first, writer);
  }

  private unnumbered(life: Life, event: RecordedEvent, writer: string): void {
    if (life.isOlder) {
      if (this.older.count++ === 0) this.older.from = event.position;
      this.older.to = event.position;
    } else this.findings.foundAt('P', event, `it has no number among the appends of ${writer}`);
  }

  private numbered(life: Life, event: RecordedEvent, writer: string): void {
    this.firstNumbered ??= event.position;
    const isStart = event.type === 'ProcessStarted';
    if (life.isOfParent) this.findings.foundAt('P', event, `${writer} wrote before the log was forked`);
    else if (life.hasStopped) this.findings.foundAt('P', event, `${writer} had stopped`);
    else if (isStart && life.hasStarted) this.findings.foundAt('P', event, `${writer} had started`);
    else if (!isStart && !life.hasStarted) this.findings.foundAt('P', event, `no start of ${writer} is before it`);
    // Said once.
    life.hasStarted = true;
    if (event.type === 'ProcessStopped') life.hasStopped = true;
  }

  private created(event: RecordedEvent): void {
    if (this.isCreated) this.findings.foundAt('P', event, 'the cluster had been created', { kind: 'inserted' });
    this.isCreated = true;
  }

  /** Whoever wrote to the parent does not know of the fork. */
  private forked(event: RecordedEvent): void {
    if (event.data.position !== this.last)
      this.findings.foundAt('P', event, `it says that the log was forked at ${String(event.data.position)}, and ${this.last} is before it`);
    if (event.data.parent !== this.firstEvent?.id) this.findings.foundAt('P', event, 'it says that another log was forked');
    for (const life of this.lives.values()) life.isOfParent = true;
  }

  private hasController({ first, notes }: Append): void {
    if (!notes.basis) return;
    const incarnation = notes.basis.decision.slice(0, notes.basis.decision.lastIndexOf('/'));
    const startedBy = this.incarnations.get(incarnation);
    if (startedBy === notes.writer || startedBy === '') return;
    this.incarnations.set(incarnation, '');
    this.findings.foundAt('P', first, `no start of controller ${incarnation} by ${notes.writer} is before it`);
  }
}
