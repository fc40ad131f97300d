import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { Checkpointer } from '#libs/event-log';
import { GenerationCache, passingText, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Checkpoint, PastStorage, TableEntry, TablePart } from './storage';

/** Contents are JSON text; a table's part is the JSON of its entries. Readable with any SQLite tool. */
const TABLES = `
  CREATE TABLE about (what TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE contents (number INTEGER PRIMARY KEY, content TEXT NOT NULL);
  CREATE TABLE parts (resource TEXT, position INTEGER, whole INTEGER NOT NULL, entries TEXT NOT NULL, PRIMARY KEY (resource, position)) WITHOUT ROWID;
  CREATE TABLE checkpoints (position INTEGER PRIMARY KEY, time INTEGER NOT NULL, event TEXT NOT NULL, last_content INTEGER NOT NULL);
  CREATE INDEX checkpoints_by_time ON checkpoints (time, position);
`;

/** Contents kept parsed, about. */
const parsedMax = 2_048;

/** Checkpoints in a file of the data folder. */
export class SqlitePast implements PastStorage {
  readonly contentsPerTurn = 128;
  private readonly statements: Statements;
  private readonly checkpointer: Checkpointer;
  private lastNumber: number;
  /** Contents that were read lately: moments near one another share most of theirs. */
  private readonly parsed = new GenerationCache<number, JsonObject>(parsedMax);

  /**
   * @param path of the file that is open
   * @param about what the checkpoints were made of and by: those of anything else are dropped
   */
  constructor(
    protected readonly db: DatabaseSyncInstance,
    path: string,
    about: string,
  ) {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4096');
    prepareFile(db, about);
    this.statements = prepareStatements(db);
    this.checkpointer = new Checkpointer(db, path);
    const { last } = db.prepare('SELECT max(last_content) AS last FROM checkpoints').get() as { last: number | null };
    this.lastNumber = last ?? 0;
    // Of a checkpoint that was being written when the process ended.
    db.prepare('DELETE FROM contents WHERE number > ?').run(this.lastNumber);
  }

  last(): Checkpoint | undefined {
    return this.statements.last.get() as Checkpoint | undefined;
  }

  upTo(position: number): Checkpoint | undefined {
    return this.statements.upTo.get(position) as Checkpoint | undefined;
  }

  upToTime(time: number): Checkpoint | undefined {
    return this.statements.upToTime.get(time) as Checkpoint | undefined;
  }

  parts(resource: string, checkpoint: number): readonly TablePart[] {
    const { whole } = this.statements.lastWhole.get(resource, checkpoint) as { whole: number | null };
    const rows = this.statements.parts.all(resource, whole ?? 0, checkpoint) as { whole: number; entries: string }[];
    return rows.map((row) => ({ isWhole: row.whole === 1, entries: JSON.parse(row.entries) as TableEntry[] }));
  }

  content(number: number): JsonObject {
    const known = this.parsed.get(number);
    if (known) return known;
    const row = this.statements.content.get(number) as { content: string };
    const content = JSON.parse(row.content) as JsonObject;
    this.parsed.set(number, content);
    return content;
  }

  contents(numbers: readonly number[]): JsonObject[] {
    const found = new Map<number, JsonObject>();
    const rows = this.statements.contents.all(JSON.stringify(numbers)) as [number: number, content: string][];
    for (const [number, content] of rows) found.set(number, JSON.parse(content) as JsonObject);
    return numbers.map((number) => found.get(number) as JsonObject);
  }

  transaction(work: () => void): void {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.db.exec('COMMIT');
      this.checkpointer.committed();
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  add(content: JsonObject): number {
    this.statements.add.run(++this.lastNumber, passingText(content as unknown as KubeObject));
    return this.lastNumber;
  }

  commit({ position, time, eventId }: Checkpoint, tables: ReadonlyMap<string, TablePart>): void {
    this.transaction(() => {
      for (const [resource, { isWhole, entries }] of tables)
        this.statements.addPart.run(resource, position, isWhole ? 1 : 0, JSON.stringify(entries));
      this.statements.commit.run(position, time, eventId, this.lastNumber);
    });
  }

  dropAfter(position: number): void {
    this.transaction(() => {
      for (const table of ['checkpoints', 'parts']) this.db.prepare(`DELETE FROM ${table} WHERE position > ?`).run(position);
    });
  }

  /** A log on disk keeps everything, and so does what is made of it. */
  dropBefore(): void {}

  close(): void {
    this.checkpointer.close();
    this.db.close();
  }
}

/** A file of an older version, of another log, or of something else begins anew. */
function prepareFile(db: DatabaseSyncInstance, about: string): void {
  const { tables } = db.prepare("SELECT count(*) AS tables FROM sqlite_master WHERE name = 'about'").get() as { tables: number };
  const known =
    tables > 0 ? (db.prepare("SELECT value FROM about WHERE what = 'made of'").get() as { value: string } | undefined) : undefined;
  if (known?.value === about) return;
  const old = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
  db.exec('BEGIN IMMEDIATE');
  for (const { name } of old) db.exec(`DROP TABLE "${name}"`);
  db.exec(TABLES);
  db.prepare("INSERT INTO about VALUES ('made of', ?)").run(about);
  db.exec('COMMIT');
}

const CHECKPOINT = 'position, time, event AS eventId';

function prepareStatements(db: DatabaseSyncInstance): Statements {
  const contents = db.prepare('SELECT number, content FROM contents WHERE number IN (SELECT value FROM json_each(?))');
  // Rows as arrays: reading is limited by making objects of them.
  contents.setReturnArrays(true);
  return {
    contents,
    last: db.prepare(`SELECT ${CHECKPOINT} FROM checkpoints ORDER BY position DESC LIMIT 1`),
    upTo: db.prepare(`SELECT ${CHECKPOINT} FROM checkpoints WHERE position <= ? ORDER BY position DESC LIMIT 1`),
    upToTime: db.prepare(`SELECT ${CHECKPOINT} FROM checkpoints WHERE time <= ? ORDER BY time DESC, position DESC LIMIT 1`),
    lastWhole: db.prepare('SELECT max(position) AS whole FROM parts WHERE resource = ? AND position <= ? AND whole = 1'),
    parts: db.prepare('SELECT whole, entries FROM parts WHERE resource = ? AND position BETWEEN ? AND ? ORDER BY position'),
    content: db.prepare('SELECT content FROM contents WHERE number = ?'),
    add: db.prepare('INSERT INTO contents VALUES (?, ?)'),
    addPart: db.prepare('INSERT INTO parts VALUES (?, ?, ?, ?)'),
    commit: db.prepare('INSERT INTO checkpoints VALUES (?, ?, ?, ?)'),
  };
}

interface Statements {
  last: StatementSyncInstance;
  upTo: StatementSyncInstance;
  upToTime: StatementSyncInstance;
  lastWhole: StatementSyncInstance;
  parts: StatementSyncInstance;
  content: StatementSyncInstance;
  contents: StatementSyncInstance;
  add: StatementSyncInstance;
  addPart: StatementSyncInstance;
  commit: StatementSyncInstance;
}
