import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Position, Revision } from '../port';
import { GenerationCache } from '#libs/kernel';
import type { Accept, AllPage, Direction, EncodedAppend, EventPlace, LogEngine } from '../store/log-engine';
import type { NewEvent, Payload, StoredEvent } from '../store/stored-event';
import type { RowCodec } from './row-codec';

type Row = [
  position: number,
  stream: number,
  revision: number,
  id: string,
  type: string,
  created: number,
  json: number,
  /** Anything that SQLite holds, where somebody has edited the file. */
  data: Payload | number | null,
  metadata: Payload | number | null,
];

/** What no writer of ours leaves there is read as text, which is no JSON object: the event appears, and does not say what was written. */
function payloadIn(column: Payload | number | null): Payload {
  return typeof column === 'string' || column instanceof Uint8Array ? column : String(column);
}

const COLUMNS = 'position, stream, revision, id, type, created, json, data, metadata';
const STREAMS_CACHED_MAX = 20_000;
/** A page of large events is cut short, so that reading never holds more than a few of these in memory. */
const PAGE_BYTES_AIM = 4 * 1024 * 1024;
const PAGE_ROWS_MIN = 8;
const PAGE_ROWS_MAX = 1000;
const PAGE_ROWS_FIRST = 64;
/** Streams whose names are looked up at once by who reads the log on. */
const namesAtOnce = 64;

/** Storage in an SQLite file, written to by this process alone. */
export class SqliteEngine<P> implements LogEngine<P> {
  private readonly streamIds = new GenerationCache<string, number>(STREAMS_CACHED_MAX);
  private readonly streamNames = new GenerationCache<number, string>(STREAMS_CACHED_MAX);
  private readonly statements: ReturnType<typeof prepareStatements>;
  private pageRows = PAGE_ROWS_FIRST;
  /** The stream whose name was looked up last. */
  private lastNamed = 0;

  constructor(
    private readonly db: DatabaseSyncInstance,
    private readonly codec: RowCodec<P>,
    /** What is told of commits and of the end, where this process writes. */
    private readonly hooks: { writing?: { committed: () => void; closing: () => void }; closed: () => void },
  ) {
    this.statements = prepareStatements(db);
  }

  lastPosition(): Position {
    return (this.statements.lastPosition.get() as { position: number | null }).position ?? 0;
  }

  encode(events: readonly NewEvent<P>[]): EncodedAppend {
    const payloads: Payload[] = [];
    let bytes = 0;
    for (const event of events) {
      const data = this.codec.encode(event.data);
      const metadata = this.codec.encode(event.metadata);
      payloads.push(data, metadata);
      bytes += Buffer.byteLength(event.type) + Buffer.byteLength(data) + Buffer.byteLength(metadata);
    }
    return { bytes, payloads };
  }

  transaction(work: () => void): void {
    this.statements.begin.run();
    try {
      work();
      this.statements.commit.run();
    } catch (error) {
      this.streamIds.clear();
      this.streamNames.clear();
      if (this.db.isTransaction) this.statements.rollback.run();
      throw error;
    }
    this.hooks.writing?.committed();
  }

  probe(): void {
    const { user_version: version } = this.db.prepare('PRAGMA user_version').get() as { user_version: number };
    this.db.exec(`PRAGMA user_version = ${version}`);
  }

  insert(event: StoredEvent<P>, data: Payload, metadata: Payload): void {
    const stream = this.idOf(event.stream) ?? this.addStream(event.stream);
    this.statements.insert.run(
      event.position,
      stream,
      event.revision,
      event.id,
      event.type,
      event.created,
      event.octets ? 0 : 1,
      data,
      metadata,
    );
  }

  recent(limit: number): EventPlace[] {
    const rows = this.statements.recent.all(limit) as [string, number, number, number][];
    return rows.map(([id, stream, revision, position]) => ({ id, stream: this.nameOf(stream), revision, position }));
  }

  headRevision(stream: string): Revision | undefined {
    const id = this.idOf(stream);
    if (id === undefined) return undefined;
    return (this.statements.head.get(id) as { revision: number | null }).revision ?? undefined;
  }

  readStream(stream: string, from: Revision, limit: number, direction: Direction): StoredEvent<P>[] {
    const id = this.idOf(stream);
    if (id === undefined) return [];
    const statement = direction === 'forwards' ? this.statements.streamForwards : this.statements.streamBackwards;
    return this.decode(statement.all(id, from, Math.min(limit, this.pageRows)) as Row[], () => stream);
  }

  readAll(from: Position, scanMax: number, direction: Direction, accept?: Accept): AllPage<P> {
    const statement = direction === 'forwards' ? this.statements.allForwards : this.statements.allBackwards;
    const rows = statement.all(from, Math.min(scanMax, this.pageRows)) as Row[];
    return { events: this.decode(rows, (id) => this.nameOf(id), accept), scanned: rows.length, last: rows[rows.length - 1]?.[0] ?? from };
  }

  close(): void {
    if (this.hooks.writing) {
      this.hooks.writing.closing();
      // One file without a log beside it is what people copy. Readers may hold it back; then the next opening does it.
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    }
    // Given back before the file is closed: who dies in between leaves no folder that looks as if events were missing.
    this.hooks.closed();
    this.db.close();
  }

  private decode(rows: readonly Row[], nameOf: (stream: number) => string, accept?: Accept): StoredEvent<P>[] {
    const events: StoredEvent<P>[] = [];
    let bytes = 0;
    for (const [position, streamId, revision, id, type, created, json, storedData, storedMetadata] of rows) {
      const data = payloadIn(storedData);
      const metadata = payloadIn(storedMetadata);
      bytes += data.length + metadata.length;
      const stream = nameOf(streamId);
      if (accept && !accept(stream, type)) continue;
      const event: StoredEvent<P> = {
        id: String(id),
        type: String(type),
        data: this.codec.decode(data),
        metadata: this.codec.decode(metadata),
        stream,
        revision,
        position,
        created,
      };
      if (json === 0) event.octets = true;
      events.push(event);
    }
    this.adaptPage(rows.length, bytes);
    return events;
  }

  private adaptPage(rows: number, bytes: number): void {
    if (bytes > PAGE_BYTES_AIM) this.pageRows = Math.max(PAGE_ROWS_MIN, this.pageRows >>> 2);
    else if (rows === this.pageRows && bytes < PAGE_BYTES_AIM / 4) this.pageRows = Math.min(PAGE_ROWS_MAX, this.pageRows * 2);
  }

  private idOf(stream: string): number | undefined {
    const known = this.streamIds.get(stream);
    if (known !== undefined) return known;
    const row = this.statements.streamId.get(stream) as { id: number } | undefined;
    if (row) this.streamIds.set(stream, row.id);
    return row?.id;
  }

  private nameOf(id: number): string {
    let name = this.streamNames.get(id);
    if (name === undefined) {
      // Streams are numbered as they come up in the log: who reads it on meets the next ones next.
      const many = id === this.lastNamed + 1 ? namesAtOnce : 1;
      const rows = this.statements.streamNames.all(id, id + many - 1) as [id: number, name: string][];
      for (const [each, its] of rows) this.streamNames.set(each, its);
      this.lastNamed = rows[rows.length - 1]?.[0] ?? id;
      // A stream whose name somebody has removed is nobody's.
      name = rows[0]?.[0] === id ? rows[0][1] : `?${id}`;
      this.streamNames.set(id, name);
    }
    return name;
  }

  private addStream(stream: string): number {
    const id = Number(this.statements.addStream.run(stream).lastInsertRowid);
    this.streamIds.set(stream, id);
    return id;
  }
}

function prepareStatements(db: DatabaseSyncInstance) {
  const rows = (sql: string): StatementSyncInstance => {
    const statement = db.prepare(sql);
    // Rows as arrays: reading is limited by making objects of them.
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    lastPosition: db.prepare('SELECT max(position) AS position FROM events'),
    head: db.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?'),
    streamId: db.prepare('SELECT id FROM streams WHERE name = ?'),
    streamNames: rows('SELECT id, name FROM streams WHERE id BETWEEN ? AND ? ORDER BY id'),
    addStream: db.prepare('INSERT INTO streams (name) VALUES (?)'),
    insert: db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    recent: rows('SELECT id, stream, revision, position FROM events ORDER BY position DESC LIMIT ?'),
    streamForwards: rows(`SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`),
    streamBackwards: rows(`SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision <= ? ORDER BY revision DESC LIMIT ?`),
    allForwards: rows(`SELECT ${COLUMNS} FROM events WHERE position >= ? ORDER BY position LIMIT ?`),
    allBackwards: rows(`SELECT ${COLUMNS} FROM events WHERE position < ? ORDER BY position DESC LIMIT ?`),
  };
}
