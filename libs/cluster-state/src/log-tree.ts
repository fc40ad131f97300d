import type { RecordedEvent } from '#libs/event-log';
import { leafOf, MerkleRange, type EventData, type Hash } from '#libs/events';

/** One root over everything in the log up to a position. Whoever keeps it elsewhere can tell a log that was rewritten or cut off. */
export interface Seal {
  position: number;
  /** How many events that are. */
  events: number;
  root: Hash;
}

/** A LogTree, written down. Plain JSON. */
export interface LogTreeRecord {
  position: number;
  events: number;
  peaks: Hash[];
  sealed?: SealInLog;
  busy?: { events: number; since: number };
  writers: [name: string, w: number, events: number][];
}

interface SealInLog extends Seal {
  writer: string;
}

/** These tell of no change: a seal for their sake would be the next reason for a seal. */
const quiet = new Set([
  'Sealed',
  'RoundsTaken',
  'ProcessStarted',
  'ControllersStopped',
  'ProcessStopped',
  'LeadershipTaken',
  'LeadershipRenewed',
  'LeadershipAwaited',
  'LeadershipReleased',
]);

/**
 * The Merkle tree over the events of a cluster, in log order, as far as one process has folded them; and what of it has been sealed, by
 * whomever. For a process that folds all of the cluster's streams.
 */
export class LogTree {
  private range = MerkleRange.empty();
  private last = 0;
  private inLog: SealInLog | undefined;
  /** How many events there were when the last of those came that are worth a seal, and cluster time of the first that is not sealed. */
  private busy: { events: number; since: number } | undefined;
  /** Last append number of each writer, and how many events there were by then; of those that wrote since the last seal. */
  private readonly writers = new Map<string, { w: number; events: number }>();

  static of({ position, events, peaks, sealed, busy, writers }: LogTreeRecord): LogTree {
    const tree = new LogTree();
    tree.range = MerkleRange.of(events, peaks);
    tree.last = position;
    tree.inLog = sealed;
    tree.busy = busy && { ...busy };
    for (const [name, w, at] of writers) tree.writers.set(name, { w, events: at });
    return tree;
  }

  /** Takes the next whole append; one that it has already is passed over. */
  take(append: readonly RecordedEvent[]): void {
    const [first] = append;
    if (!first || first.position <= this.last) return;
    for (const event of append) {
      this.range.add(leafOf(event));
      this.last = event.position;
    }
    const { w, writer, time } = first.metadata as { w?: number; writer?: string; time?: number };
    if (w !== undefined && writer !== undefined) this.writers.set(writer, { w, events: this.events });
    if (!quiet.has(first.type)) this.busy = { events: this.events, since: this.busy?.since ?? time ?? 0 };
    for (const event of append) if (event.type === 'Sealed') this.noteSeal(event);
  }

  get position(): number {
    return this.last;
  }

  get events(): number {
    return this.range.end;
  }

  /** Events that no seal in the log covers. */
  get unsealed(): number {
    return this.events - (this.inLog?.events ?? 0);
  }

  /** Since when there is something worth a seal; cluster time, ms. */
  get unsealedSince(): number | undefined {
    return this.busy?.since;
  }

  /** The writer of the last seal in the log. */
  get sealedBy(): string | undefined {
    return this.inLog?.writer;
  }

  seal(): Seal {
    return { position: this.last, events: this.events, root: this.range.root() };
  }

  /** What an event says that seals all of it. */
  sealed(): EventData<'Sealed'> {
    const writers = [...this.writers].map(([name, { w }]): [string, number] => [name, w]);
    const prev = this.inLog?.root;
    return { ...this.seal(), peaks: this.range.peakHashes(), writers, ...(prev === undefined ? {} : { prev }) };
  }

  record(): LogTreeRecord {
    return {
      position: this.last,
      events: this.events,
      peaks: this.range.peakHashes(),
      sealed: this.inLog,
      busy: this.busy && { ...this.busy },
      writers: [...this.writers].map(([name, { w, events }]) => [name, w, events]),
    };
  }

  private noteSeal({ data, metadata }: RecordedEvent): void {
    const { position, events, root } = data as unknown as Seal;
    if (events <= (this.inLog?.events ?? 0)) return;
    this.inLog = { position, events, root, writer: metadata.writer as string };
    // What came while it was on its way is not covered by it.
    if (this.busy) this.busy = this.busy.events <= events ? undefined : { ...this.busy, since: metadata.time as number };
    for (const [name, writer] of this.writers) if (writer.events <= events) this.writers.delete(name);
  }
}
