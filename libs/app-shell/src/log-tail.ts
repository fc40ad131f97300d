import { clusterPrefix, digestOf, parseStream } from '#libs/events';
import { EventLogError, LogUnavailableError, type EventLog, type RecordedEvent } from '#libs/event-log';

/** Events looked at when a process starts: what a crash, a failing disk or a careless hand is likeliest to have hit. A few milliseconds. */
export const tailEvents = 256;
/** Bytes of their payloads, nearly: large events end it earlier. */
const tailBytes = 4 * 1024 * 1024;

/** The newest part of a log does not say what was written. */
export class DamagedLogError extends Error {
  constructor(
    message: string,
    /** The last position before the damage; absent where even that cannot be read. */
    readonly whole?: number,
  ) {
    super(message);
  }
}

/**
 * Holds the newest events against their digests, and looks for gaps in their streams: a flipped bit would be served, and built upon. All of
 * a log, and who follows whom in it, is looked at by `verify`.
 * @throws DamagedLogError naming the first event that is not as it was written
 */
export async function checkTail(log: EventLog, cluster: string): Promise<void> {
  const events = await newest(log, cluster);
  const revisions = new Map<string, number>();
  let whole: number | undefined;
  for (const event of events.reverse()) {
    const problem = problemOf(event, cluster, revisions.get(event.stream));
    if (problem !== undefined) {
      const { type, stream, revision, position, id } = event;
      throw new DamagedLogError(`${type} at position ${position} (${stream}, revision ${revision}, id ${id}) ${problem}`, whole);
    }
    revisions.set(event.stream, event.revision);
    whole = event.position;
  }
}

/** Newest first. */
async function newest(log: EventLog, cluster: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let bytes = 0;
  const filter = { streamPrefixes: [clusterPrefix(cluster)] };
  try {
    for await (const page of log.readAll({ direction: 'backwards', limit: tailEvents, filter })) {
      for (const event of page) {
        events.push(event);
        bytes += JSON.stringify(event.data).length;
        if (bytes > tailBytes) return events;
      }
    }
  } catch (error) {
    // A store that is away says nothing of what is in it.
    if (error instanceof LogUnavailableError) throw error;
    if (error instanceof EventLogError || isDamage(error))
      throw new DamagedLogError(`its newest events cannot be read: ${(error as Error).message}`);
    throw error;
  }
  return events;
}

/** SQLite's words for a page that is none (SQLITE_CORRUPT, SQLITE_NOTADB). */
function isDamage(error: unknown): boolean {
  return error instanceof Error && /malformed|not a database|disk I\/O/.test(error.message);
}

function problemOf({ metadata, data, ...event }: RecordedEvent, cluster: string, before: number | undefined): string | undefined {
  const { stream, revision } = event;
  if (!parseStream(cluster, stream)) return undefined;
  const { follows, digest, writer } = metadata as { follows?: string; digest?: string; writer?: string };
  // What somebody else put there has no digest; `verify` has its say about it.
  const isOurs = digest !== undefined || writer !== undefined || '$base64' in metadata || '$base64' in data;
  if (isOurs && digestOf({ ...event, metadata, data }, stream, follows) !== digest)
    return 'does not say what was written: its digest is another';
  if (before !== undefined && revision !== before + 1) return `does not follow revision ${before} of its stream: what was between is gone`;
  return undefined;
}
