import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { EventLogError } from '../errors';

/** Marks the file as ours for `file` and SQLite tools ("kube"). */
const APPLICATION_ID = 0x6b756265;
const FILE_VERSION = 1;

/**
 * Readable with any SQLite tool: `SELECT * FROM log` shows events with their stream names and times. `json` tells data that
 * its writer declared to be JSON; data and metadata are text wherever they are UTF-8.
 */
const TABLES = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL REFERENCES streams (id),
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    created INTEGER NOT NULL,
    json INTEGER NOT NULL,
    data,
    metadata
  );
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  CREATE VIEW log AS
    SELECT position, name AS stream, revision, type, strftime('%Y-%m-%dT%H:%M:%fZ', created / 1000.0, 'unixepoch') AS created,
      events.id AS id, data, metadata
    FROM events JOIN streams ON streams.id = events.stream ORDER BY position;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FILE_VERSION};
`;

/** Creates the tables in a new file. @throws when the file is of a newer program or none of ours. */
export function prepareFile(db: DatabaseSyncInstance, path: string, readOnly: boolean): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version === FILE_VERSION) return;
  if (version > FILE_VERSION)
    throw new EventLogError(`${path} was written by a newer kubereel (file version ${version}, known: ${FILE_VERSION})`);
  const { tables } = db.prepare("SELECT count(*) AS tables FROM sqlite_master WHERE type = 'table'").get() as { tables: number };
  if (tables > 0) throw new EventLogError(`${path} is an SQLite file, but not an event log`);
  if (readOnly) return;
  db.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`);
}
