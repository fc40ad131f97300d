import type { EventReports, FoldedAppend, VersionedChange } from '#libs/cluster-state';
import type { JsonObject } from '#libs/kernel';
import { reportTables, type Checkpoint, type PastStorage, type TableEntry, type TablePart } from './storage';
import { TableDirectory } from './table-directory';

/** Events between two checkpoints: so many are folded at most to know a moment of the past. */
export const eventsPerCheckpoint = 2_048;
/** Contents stored in one go: about a millisecond. */
const contentsPerTurn = 32;
/** Changed entries of a table that may wait before a writer that folds old events has to wait for the storage. */
const dirtyMax = 50_000;

/**
 * Writes checkpoints while somebody folds: it is told of what changed, and every few thousand events it writes down that, and only that.
 * Objects never change, so they are kept as they are until their turn to be written comes, a few at a time.
 */
export class PastRecorder {
  private dirty = new Map<string, Map<string, JsonObject | undefined>>();
  private dirtyCount = 0;
  private events = 0;
  private recorded: number;
  private writing: Promise<void> | undefined;
  private readonly directories = new Map<string, TableDirectory>();
  private isOver = false;

  /**
   * @param turn lets others have their turn
   * @param failed told once, when nothing can be written any more; what is there stays
   */
  constructor(
    private readonly storage: PastStorage,
    private readonly turn: () => Promise<void>,
    private readonly failed: (error: Error) => void,
    private readonly eventsMax = eventsPerCheckpoint,
  ) {
    this.recorded = storage.last()?.position ?? 0;
  }

  /** Everything up to this position is in checkpoints, or has been noted: what is folded next has to be noted. */
  get position(): number {
    return this.recorded;
  }

  /** An entry of a table is different now; undefined: gone. */
  note(resource: string, key: string, content: JsonObject | undefined): void {
    if (this.isOver) return;
    let table = this.dirty.get(resource);
    if (!table) this.dirty.set(resource, (table = new Map()));
    const size = table.size;
    table.set(key, content);
    this.dirtyCount += table.size - size;
  }

  /** A frame of an append has been folded. @param changed what it means for Events, which have taken it */
  folded({ change, events }: FoldedAppend, changed: readonly VersionedChange[], reports: EventReports): void {
    if (change) this.note(change.resource, change.key, change.type === 'DELETED' ? undefined : (change.object as unknown as JsonObject));
    for (const { key } of changed) this.note(reportTables.events, key, reports.kept(key) as unknown as JsonObject | undefined);
    for (const uid of toldOf(events, change))
      this.note(reportTables.remembered, uid, reports.remembered(uid) as unknown as JsonObject | undefined);
  }

  /** An append has been folded, and everything it changed has been noted. */
  passed(place: Checkpoint, events: number): void {
    this.recorded = place.position;
    this.events += events;
    if (this.events >= this.eventsMax && !this.writing && !this.isOver) this.cut(place);
  }

  /** Resolves when there is room for more. */
  async whenReady(): Promise<void> {
    if (this.dirtyCount > dirtyMax) await this.writing;
  }

  /** Writes a checkpoint of what was noted up to a place, and resolves when it is written. */
  async flush(place: Checkpoint): Promise<void> {
    await this.writing;
    if (!this.isOver && this.dirtyCount > 0 && (this.storage.last()?.position ?? 0) < place.position) this.cut(place);
    await this.writing;
  }

  /** Notes and writes no more; resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.isOver = true;
    await this.writing;
  }

  private cut(place: Checkpoint): void {
    const { dirty } = this;
    this.dirty = new Map();
    this.dirtyCount = 0;
    this.events = 0;
    this.writing = this.write(place, dirty)
      .catch((error: Error) => {
        this.isOver = true;
        this.dirty.clear();
        this.failed(error);
      })
      .finally(() => (this.writing = undefined));
  }

  private async write(place: Checkpoint, dirty: ReadonlyMap<string, ReadonlyMap<string, JsonObject | undefined>>): Promise<void> {
    const tables = new Map<string, TablePart>();
    for (const [resource, changes] of dirty) {
      const directory = this.directoryOf(resource);
      const entries: TableEntry[] = [];
      let waiting: [key: string, content: JsonObject | undefined][] = [];
      const store = (): void => {
        this.storage.transaction(() => {
          for (const [key, content] of waiting) entries.push([key, content ? this.storage.add(content) : 0]);
        });
        waiting = [];
      };
      for (const change of changes) {
        waiting.push(change);
        if (waiting.length < contentsPerTurn) continue;
        store();
        await this.turn();
      }
      if (waiting.length > 0) store();
      tables.set(resource, directory.partOf(entries));
      await this.turn();
    }
    this.storage.commit(place, tables);
  }

  private directoryOf(resource: string): TableDirectory {
    let directory = this.directories.get(resource);
    if (!directory) this.directories.set(resource, (directory = TableDirectory.of(this.storage, resource)));
    return directory;
  }
}

/** Of which objects reporters may remember something else than before, by uid. */
function* toldOf(events: FoldedAppend['events'], change: FoldedAppend['change']): Iterable<string> {
  for (const { type, data } of events) if (type === 'SchedulingAttempted' || type === 'Reported') yield data.uid as string;
  if (change && (change.type === 'DELETED' || change.resource === 'nodes')) yield change.object.metadata.uid;
}
