import { AppendReader, foldFrame, framesOf, readAppends, restoredObject, type Append, type FoldedAppend } from '#libs/cluster-state';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { objectStream, parseStream } from '#libs/events';
import type { GroupResource, JsonObject, KubeObject, ObjectKey } from '#libs/kernel';
import { hashOf, type EventPlaces, type OutlineStorage } from './outline-storage';
import { checkpointOf, directoryAt, type Checkpoint, type TableEntry, type TablePart } from './storage';
import { TableDirectory } from './table-directory';

export interface OutlineBounds {
  /** Events between two checkpoints. */
  eventsPerCheckpoint: number;
  /** Events of an object that are folded at most, about, to know it: one that lives longer is written down now and then. */
  longLife: number;
}

const usualBounds: OutlineBounds = { eventsPerCheckpoint: 1_024, longLife: 64 };
/** Room for events' places to begin with. */
const placesMin = 4_096;
/** Objects whose events are read in one go: a millisecond or two. */
const objectsAtOnce = 16;
/** Events of a stream that are read at once: few live longer before they are written down. */
const eventsAtOnce = 96;

/** An object as it was written down, and the revision of its stream that it is folded from. */
interface LongLived {
  revision: number;
  object: KubeObject;
}

interface ChangedObject {
  resource: GroupResource;
  key: ObjectKey;
  stream: string;
  /** What the outline says of it from now on; undefined: the same as before. */
  entry: number | undefined;
  /** Of its last event. */
  revision: number;
  /** As it is now, where somebody has folded it. */
  object: KubeObject | undefined;
}

/** The entry of an object whose life begins with a revision of its stream; of one that is written down it is the content's number. */
const bornAt = (revision: number): number => -revision - 1;
const birthIn = (entry: number): number => -entry - 1;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Which objects there were at a checkpoint, and where in its stream the life of each begins. That costs next to nothing to write down while
 * the log is read, so it is there as soon as a log has been folded; what an object was is then folded from its own few events. Checkpoints with
 * the objects themselves, and with Events, take longer to make, and follow later.
 */
export class Outline {
  /** Of the last event that was taken. */
  private position: number;
  private changed = new Map<string, ChangedObject>();
  private places: EventPlaces = { hashes: new Uint32Array(placesMin), positions: new Float64Array(placesMin) };
  private events = 0;
  /** Revision from which on an object that is there now is folded, by stream; of one that is not here the storage knows. */
  private readonly bases = new Map<string, number>();
  private readonly directories = new Map<GroupResource, TableDirectory>();
  private isFollowing = false;
  private isOver = false;
  /** Who waits for the reading of the log to come to a position. */
  private waiters: { position: number; resolve: () => void }[] = [];

  /** @param failed told once, when nothing can be written any more; what is there stays */
  constructor(
    private readonly log: EventLog,
    private readonly cluster: string,
    private readonly storage: OutlineStorage,
    private readonly failed: (error: Error) => void,
    private readonly bounds = usualBounds,
  ) {
    this.position = storage.last()?.position ?? 0;
  }

  /** Every frame after the outline's last position will come to `folded`. */
  follow(): void {
    this.isFollowing = true;
  }

  /** A frame of an append has been folded, and nothing behind it. Those that the outline has already are passed over. */
  folded({ events, change, position }: FoldedAppend): void {
    if (!this.isFollowing || this.isOver || position <= this.position) return;
    const object = change?.type === 'DELETED' ? undefined : change?.object;
    for (const event of events) this.take(event, object);
    const { i = 1, n = 1 } = (events[events.length - 1] as RecordedEvent).metadata as { i?: number; n?: number };
    if (i === n && this.events >= this.bounds.eventsPerCheckpoint) this.attempt(() => this.cut(checkpointOf(events)));
  }

  /**
   * Takes what the log has after the outline's last position, and then follows.
   * @param head the last position folded
   * @param paused waited for after each page
   */
  async catchUp(head: () => number, paused: () => Promise<void>): Promise<void> {
    while (!this.isFollowing && !this.isOver) {
      if (this.position >= head()) this.follow();
      else if (!(await this.readUpTo(head(), paused))) break;
    }
    this.wake(Infinity);
  }

  /** Somebody waits for the reading of the log: no time is to be lost. */
  get isAwaited(): boolean {
    return this.waiters.length > 0;
  }

  /** Resolves when everything up to a position has been taken, or nothing more is. */
  reached(position: number): Promise<void> {
    if (this.isFollowing || this.isOver || this.position >= position) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ position, resolve }));
  }

  /** The last checkpoint at or before a position. */
  upTo(position: number): Checkpoint | undefined {
    return this.storage.upTo(position);
  }

  /** The objects of a resource as they were at a checkpoint. */
  async objectsAt(resource: GroupResource, checkpoint: number): Promise<Map<ObjectKey, KubeObject>> {
    const objects = new Map<ObjectKey, KubeObject>();
    const directory = [...directoryAt(this.storage, resource, checkpoint)];
    for (let at = 0; at < directory.length; at += objectsAtOnce) {
      if (at > 0) await turn();
      const some = directory.slice(at, at + objectsAtOnce);
      const read = await Promise.all(some.map(([key, entry]) => this.objectAt(resource, this.streamOf(resource, key), entry, checkpoint)));
      some.forEach(([key], i) => read[i] && objects.set(key, read[i]));
    }
    return objects;
  }

  /** Position of the event of an id; undefined: it is not among those taken so far. */
  async positionOf(id: string): Promise<number | undefined> {
    const hash = hashOf(id);
    for (const positions of this.storage.find(hash)) {
      for (const position of positions) if (await this.isAt(position, id)) return position;
      await turn();
    }
    const { hashes, positions } = this.places;
    for (let i = 0; i < this.events; i++) {
      const position = positions[i] as number;
      if (hashes[i] === hash && (await this.isAt(position, id))) return position;
    }
    return undefined;
  }

  /** What has been taken is written down, where the fold stands at that place. */
  close(place: Checkpoint): void {
    if (this.isFollowing && !this.isOver && place.position === this.position && this.events > 0) this.attempt(() => this.cut(place));
    this.isOver = true;
    this.wake(Infinity);
    this.storage.close();
  }

  private async isAt(position: number, id: string): Promise<boolean> {
    for await (const [event] of this.log.readAll({ from: position, limit: 1 })) return event?.id === id;
    return false;
  }

  private async readUpTo(until: number, paused: () => Promise<void>): Promise<boolean> {
    const before = this.position;
    for await (const appends of readAppends(this.log, this.cluster, { after: before, until })) {
      for (const append of appends) {
        for (const event of append) this.take(event, undefined);
        if (this.events >= this.bounds.eventsPerCheckpoint) await this.cutUnfolded(append);
      }
      if (this.isOver) return false;
      this.wake(this.position);
      await paused();
    }
    return this.position > before;
  }

  private take({ id, type, stream, revision, position, metadata }: RecordedEvent, object: KubeObject | undefined): void {
    this.position = position;
    this.notePlace(id, position);
    const changed = this.changed.get(stream) ?? this.begin(stream, type);
    if (!changed) return;
    changed.revision = revision;
    changed.object = object;
    if (type === 'Created') {
      // An append is read from its first event on.
      const from = revision + 1 - ((metadata.i as number | undefined) ?? 1);
      changed.entry = bornAt(from);
      this.bases.set(stream, from);
    } else if (type === 'Deleted') {
      changed.entry = 0;
      this.bases.delete(stream);
    }
  }

  private notePlace(id: string, position: number): void {
    let { hashes, positions } = this.places;
    if (this.events === hashes.length) {
      const longer = { hashes: new Uint32Array(hashes.length * 2), positions: new Float64Array(hashes.length * 2) };
      longer.hashes.set(hashes);
      longer.positions.set(positions);
      ({ hashes, positions } = this.places = longer);
    }
    hashes[this.events] = hashOf(id);
    positions[this.events++] = position;
  }

  private begin(stream: string, type: string): ChangedObject | undefined {
    const subject = parseStream(this.cluster, stream);
    if (subject?.kind !== 'object') return undefined;
    const { resource, key } = subject;
    if (type !== 'Created' && !this.bases.has(stream)) {
      const base = this.baseOf(this.directoryOf(resource).get(key));
      if (base !== undefined) this.bases.set(stream, base);
    }
    const changed = { resource, key, stream, entry: undefined, revision: 0, object: undefined };
    this.changed.set(stream, changed);
    return changed;
  }

  private baseOf(entry: number | undefined): number | undefined {
    if (entry === undefined) return undefined;
    return entry < 0 ? birthIn(entry) : (this.storage.content(entry) as unknown as LongLived).revision + 1;
  }

  /** Of objects that live long, those that nobody has folded are read first. */
  private async cutUnfolded(append: Append): Promise<void> {
    try {
      for (const changed of this.changed.values()) {
        if (!this.isLong(changed)) continue;
        const { resource, key, stream, entry } = changed;
        const from = entry ?? this.directoryOf(resource).get(key);
        if (from !== undefined) changed.object = await this.objectAt(resource, stream, from, this.position);
      }
      if (!this.isOver) this.cut(checkpointOf(append));
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private isLong({ stream, revision }: ChangedObject): boolean {
    const base = this.bases.get(stream);
    return base !== undefined && revision + 1 - base >= this.bounds.longLife;
  }

  private cut(place: Checkpoint): void {
    const { storage, changed, events } = this;
    const entries = new Map<GroupResource, TableEntry[]>();
    storage.transaction(() => {
      for (const each of changed.values()) {
        const entry = this.entryOf(each);
        // Who came and went between two checkpoints is at neither.
        if (entry === undefined || (entry === 0 && this.directoryOf(each.resource).get(each.key) === undefined)) continue;
        const table = entries.get(each.resource);
        if (table) table.push([each.key, entry]);
        else entries.set(each.resource, [[each.key, entry]]);
      }
    });
    const tables = new Map<string, TablePart>();
    for (const [resource, each] of entries) tables.set(resource, this.directoryOf(resource).partOf(each));
    const { hashes, positions } = this.places;
    storage.addEvents(place.position, { hashes: hashes.subarray(0, events), positions: positions.subarray(0, events) });
    storage.commit(place, tables);
    this.changed = new Map();
    this.events = 0;
  }

  private entryOf(changed: ChangedObject): number | undefined {
    const { object, revision, stream, entry } = changed;
    if (!object || !this.isLong(changed)) return entry;
    this.bases.set(stream, revision + 1);
    return this.storage.add({ revision, object } as unknown as JsonObject);
  }

  private directoryOf(resource: GroupResource): TableDirectory {
    let directory = this.directories.get(resource);
    if (!directory) this.directories.set(resource, (directory = TableDirectory.of(this.storage, resource)));
    return directory;
  }

  private streamOf(resource: GroupResource, key: ObjectKey): string {
    const slash = key.indexOf('/');
    return objectStream(this.cluster, resource, key.slice(0, slash), key.slice(slash + 1));
  }

  /** An object as its stream has it up to a position. */
  private async objectAt(resource: GroupResource, stream: string, entry: number, until: number): Promise<KubeObject | undefined> {
    const kept = entry > 0 ? (this.storage.content(entry) as unknown as LongLived) : undefined;
    let object = kept && restoredObject(kept.object);
    const reader = new AppendReader();
    for (let from = kept ? kept.revision + 1 : birthIn(entry); ;) {
      let read = 0;
      for await (const page of this.log.readStream(stream, { from, limit: eventsAtOnce })) {
        for (const event of page) {
          if (event.position > until) return object;
          const append = reader.add(event);
          if (append) for (const frame of framesOf(append)) object = foldFrame({ resource }, object, frame, append[0] as RecordedEvent);
        }
        read += page.length;
      }
      if (read < eventsAtOnce) return object;
      from += read;
    }
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private fail(error: Error): void {
    this.isOver = true;
    this.changed.clear();
    this.wake(Infinity);
    this.failed(error);
  }

  private wake(position: number): void {
    for (const { resolve } of this.waiters.filter((waiter) => waiter.position <= position)) resolve();
    this.waiters = this.waiters.filter((waiter) => waiter.position > position);
  }
}
