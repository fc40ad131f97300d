import type { EventLog } from '../port';
import { EventStore } from '../store/event-store';
import { jsonCodec, JsonLog } from '../store/json-log';
import { openSqliteEngine, type EmbeddedOptions } from './open-engine';
import { jsonRows } from './row-codec';

export interface EmbeddedLogOptions extends EmbeddedOptions {
  /** Real time for `created`, ms since the epoch. */
  now?: () => number;
  appendBytesMax?: number;
}

/** How often a reader beside the writing process looks for what is new, ms. */
const FOLLOW_INTERVAL_MS = 100;

/**
 * A durable log in a folder, in this process: the file `log.sqlite` with its write-ahead log.
 * @throws LogLockedError when another process writes to the folder.
 */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EventLog> {
  const engine = await openSqliteEngine(options, jsonRows);
  const { now = Date.now, appendBytesMax, readOnly } = options;
  const store = new EventStore(engine, { codec: jsonCodec, now, commit: readOnly ? 'never' : 'grouped', tail: !readOnly, appendBytesMax });
  if (!readOnly) return new JsonLog(store, { yields: true });
  const following = setInterval(() => store.noticeForeignCommits(), FOLLOW_INTERVAL_MS).unref();
  return new JsonLog(store, { yields: true, onClose: () => clearInterval(following) });
}
