import {
  ClusterState,
  EventReports,
  type Remembered,
  LogFold,
  readAppends,
  restoredObject,
  type Append,
  type FoldedAppend,
  type KeptReport,
  type ReportContext,
  type ResourceTable,
  type VersionedChange,
} from '#libs/cluster-state';
import { LogUnavailableError, type EventLog } from '#libs/event-log';
import { categoryOf } from '#libs/events';
import type { GroupResource, JsonObject, KubeObject } from '#libs/kernel';
import { HistoryBase } from './history-base';
import type { Outline } from './outline';
import { PastTable } from './past-table';
import { directoryAt, reportTables, type Checkpoint, type PastStorage } from './storage';

/** Tables of the past kept for the next question about them, and objects in them; the last one is kept however large it is. */
const tablesMax = 16;
const tableObjectsMax = 4_096;
/** Readings of the log under way at once; more wait. */
const readingsMax = 2;

export interface PastOptions {
  log: EventLog;
  cluster: string;
  reports: ReportContext;
}

/** One append, folded: its frames, and what they mean for Events. */
export interface PastStep {
  append: Append;
  frames: readonly FoldedAppend[];
  events: readonly VersionedChange[];
}

/** A fold of the log that began at some checkpoint, and the Events that go with it. */
export class PastFold {
  constructor(
    private readonly past: PastOptions,
    readonly state: ClusterState,
    readonly reports: EventReports,
  ) {}

  /**
   * The appends after where it stands, up to a position, folded page by page.
   * @param passed told of each append when the fold has it and nothing behind it
   */
  async *to(until: number, passed?: (step: PastStep) => void): AsyncGenerator<readonly PastStep[]> {
    const { log, cluster } = this.past;
    const fold = new LogFold(this.state, { until });
    for await (const appends of readAppends(log, cluster, { after: this.state.position, until })) {
      yield appends.map((append) => {
        const frames = fold.fold(append);
        const step = { append, frames, events: frames.flatMap((frame) => this.reports.apply(frame, this.state)) };
        passed?.(step);
        return step;
      });
    }
  }
}

/** What a cluster was, at any position of its log: from the checkpoint before it, and what was written since. */
export class Past {
  private storage: PastStorage | undefined;
  private outline: Outline | undefined;
  private readonly base: HistoryBase | undefined;
  private readonly tables = new Map<string, Promise<ResourceTable>>();
  /** Objects in those of them that have been read. */
  private readonly sizes = new Map<string, number>();
  private readonly turns: (() => void)[] = [];
  private reading = 0;

  constructor(private readonly options: PastOptions) {
    const { log, cluster } = options;
    if (!log.history) return;
    this.base = new HistoryBase(cluster, log.history);
    log.history.onForget(() => this.storage?.dropBefore(log.history?.forgotten ?? 0));
  }

  /**
   * From now on the checkpoints of a storage are used, and an outline beyond them; without either every reading begins with the first event.
   */
  use(storage: PastStorage, outline?: Outline): void {
    this.storage = storage;
    this.outline = outline;
  }

  /** Somebody waits for a table of the past. */
  get isBeingRead(): boolean {
    return this.reading > 0;
  }

  /** Position of the event of an id, where that is known; it may be in the log all the same. */
  async positionOf(id: string): Promise<number | undefined> {
    return this.outline?.positionOf(id);
  }

  /** A place in the log that is not later than a time, ms. */
  placeUpTo(time: number): Checkpoint | undefined {
    return this.kept(this.storage?.upToTime(time));
  }

  /** A place in the log that is not later than a position. */
  placeAt(position: number): Checkpoint | undefined {
    return this.kept(this.storage?.upTo(position));
  }

  /** The table of a resource at a position; the last few are remembered. @throws HistoryForgottenError */
  tableAt(resource: GroupResource, position: number): Promise<ResourceTable> {
    const key = `${position} ${resource}`;
    const known = this.tables.get(key);
    this.tables.delete(key);
    const table = known ?? this.inTurn(() => this.readTable(resource, position));
    this.tables.set(key, table);
    if (this.tables.size > tablesMax) this.letGoOfOldest();
    table.then(
      (read) => this.noteSize(key, read.keys().length),
      () => void (this.tables.delete(key), this.sizes.delete(key)),
    );
    return table;
  }

  private noteSize(key: string, objects: number): void {
    if (!this.tables.has(key)) return;
    this.sizes.set(key, objects);
    const held = (): number => [...this.sizes.values()].reduce((sum, size) => sum + size, 0);
    while (this.tables.size > 1 && held() > tableObjectsMax) this.letGoOfOldest();
  }

  private letGoOfOldest(): void {
    const oldest = this.tables.keys().next().value as string;
    this.tables.delete(oldest);
    this.sizes.delete(oldest);
  }

  /**
   * Changes of a resource later than `after`, up to and with `until`, in the order of their versions, as they are read.
   * @throws HistoryForgottenError
   */
  async *changes(resource: GroupResource, after: number, until: number): AsyncGenerator<readonly VersionedChange[]> {
    const later = (changes: readonly VersionedChange[]): VersionedChange[] => changes.filter(({ position }) => position > after);
    if (resource === 'events') {
      const fold = await this.foldFrom(after);
      for await (const steps of fold.to(until)) yield later(steps.flatMap(({ events }) => events));
      return;
    }
    for await (const frames of this.framesOf(resource, await this.stateUpTo(resource, after), until)) yield later(frames.flatMap(changeOf));
  }

  /** A fold of everything that begins as near before a position as can be. @throws HistoryForgottenError */
  async foldFrom(position: number): Promise<PastFold> {
    const checkpoint = this.kept(this.storage?.upTo(position));
    const reports = await this.reportsAt(checkpoint);
    // Another checkpoint may have been written meanwhile: both are of the same.
    return new PastFold(this.options, this.stateAt(checkpoint, position), reports);
  }

  private async readTable(resource: GroupResource, position: number): Promise<ResourceTable> {
    if (resource === 'events') {
      const fold = await this.foldFrom(position);
      for await (const _ of fold.to(position));
      fold.reports.expire(fold.state.time, position);
      return fold.reports.table;
    }
    const state = await this.stateUpTo(resource, position);
    for await (const _ of this.framesOf(resource, state, position));
    return state.table(resource);
  }

  /** Folds what was written of one resource: nothing else has a say in its objects. */
  private async *framesOf(resource: GroupResource, state: ClusterState, until: number): AsyncGenerator<readonly FoldedAppend[]> {
    const { log, cluster } = this.options;
    const fold = new LogFold(state, { until });
    const streamPrefixes = [`${categoryOf(cluster, resource)}-`];
    for await (const appends of readAppends(log, cluster, { after: state.position, until, streamPrefixes }))
      yield appends.flatMap((append) => fold.fold(append));
  }

  /** The state at the last checkpoint up to a position, as far as a resource goes. */
  private async stateUpTo(resource: GroupResource, position: number): Promise<ClusterState> {
    const isKept = (this.storage?.last()?.position ?? 0) >= position;
    const outlined = isKept ? undefined : await this.outlinedUpTo(resource, position);
    return outlined ?? this.stateAt(this.kept(this.storage?.upTo(position)), position);
  }

  /** Undefined: there is no outline that reaches further than the checkpoints do. */
  private async outlinedUpTo(resource: GroupResource, position: number): Promise<ClusterState | undefined> {
    const { outline, storage } = this;
    try {
      await outline?.reached(position);
      const place = outline?.upTo(position);
      if (!outline || !place || place.position <= (storage?.upTo(position)?.position ?? 0)) return undefined;
      const state = standingAt(new ClusterState(this.options.cluster), place);
      const table = state.table(resource);
      for (const [key, object] of await outline.objectsAt(resource, place.position)) table.set(key, object);
      return state;
    } catch (error) {
      if (error instanceof LogUnavailableError) throw error;
      // A cache: the log has all of it.
      this.outline = undefined;
      return undefined;
    }
  }

  private stateAt(checkpoint: Checkpoint | undefined, position: number): ClusterState {
    const { cluster } = this.options;
    if (!checkpoint) return this.base?.from(position) ?? new ClusterState(cluster);
    const storage = this.storage as PastStorage;
    const read = (number: number): KubeObject => restoredObject(storage.content(number) as unknown as KubeObject);
    const tableOf = (resource: GroupResource): ResourceTable =>
      new PastTable(resource, directoryAt(storage, resource, checkpoint.position), read);
    return standingAt(new ClusterState(cluster, undefined, tableOf), checkpoint);
  }

  private async reportsAt(checkpoint: Checkpoint | undefined): Promise<EventReports> {
    const { storage } = this;
    if (!checkpoint || !storage) return new EventReports(this.options.reports);
    const contents = async (table: string): Promise<[key: string, content: JsonObject][]> => {
      const directory = [...directoryAt(storage, table, checkpoint.position)];
      const found: [key: string, content: JsonObject][] = [];
      // There may be ten thousand of them: others have their turns in between.
      for (let i = 0; i < directory.length; i += storage.contentsPerTurn) {
        if (i > 0) await new Promise((resolve) => setImmediate(resolve));
        const some = directory.slice(i, i + storage.contentsPerTurn);
        const read = storage.contents(some.map(([, number]) => number));
        some.forEach(([key], at) => found.push([key, read[at] as JsonObject]));
      }
      return found;
    };
    const [events, remembered] = [await contents(reportTables.events), await contents(reportTables.remembered)];
    return EventReports.restored(
      this.options.reports,
      events.map(([key, content]) => [key, content as unknown as KeptReport] as const),
      remembered.map(([uid, content]) => [uid, content as Remembered] as const),
    );
  }

  /** What a log has let go of is not shown, though there is a checkpoint of it. */
  private kept(checkpoint: Checkpoint | undefined): Checkpoint | undefined {
    const forgotten = this.options.log.history?.forgotten ?? 0;
    return checkpoint && checkpoint.position >= forgotten ? checkpoint : undefined;
  }

  private async inTurn<T>(read: () => Promise<T>): Promise<T> {
    if (this.reading >= readingsMax) await new Promise<void>((resolve) => this.turns.push(resolve));
    this.reading++;
    try {
      return await read();
    } finally {
      this.reading--;
      this.turns.shift()?.();
    }
  }
}

function standingAt(state: ClusterState, { position, eventId, time }: Checkpoint): ClusterState {
  state.position = position;
  state.lastEventId = eventId;
  state.time = time;
  return state;
}

/** As a watch shows it. */
function changeOf({ change, position }: FoldedAppend): VersionedChange[] {
  if (!change) return [];
  const { type, key, before, object } = change;
  return [{ type, position, key, before, object }];
}
