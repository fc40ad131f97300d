import { clusterPrefix, digestOf, parseStream, type StoredMetadata } from '#libs/events';
import { EventLogError, LogUnavailableError, type EventLog, type RecordedEvent } from '#libs/event-log';

/** Events looked at when a process starts: what a crash, a failing disk or a careless hand is likeliest to have hit. A few milliseconds. */
export const tailEvents = 256;
/** Bytes of their payloads, nearly: large events end it earlier. */
const tailBytes = 4 * 1024 * 1024;

/** One of the newest events of a log was changed, or is missing. */
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
 * Checks the newest events against their digests and looks for gaps in their streams, before an app builds on them.
 * All of
 * a log, and who follows whom in it, is looked at by `verify`.
 * @throws DamagedLogError naming the first event that is not as it was written
 */
export async function checkTail(log: EventLog, cluster: string): Promise<void> {
  const events = (await newest(log, cluster)).reverse();
  const check = new TailCheck(cluster, await digestsBefore(log, cluster, events));
  let whole: number | undefined;
  for (const event of events) {
    const problem = check.problemOf(event);
    if (problem !== undefined) {
      const { type, stream, revision, position, id } = event;
      throw new DamagedLogError(`${type} at position ${position} (${stream}, revision ${revision}, id ${id}) ${problem}`, whole);
    }
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

/** Of each stream that one writer at a time writes to: the digest of the event before the first of these. */
async function digestsBefore(log: EventLog, cluster: string, events: readonly RecordedEvent[]): Promise<Map<string, string>> {
  const firsts = new Map<string, RecordedEvent>();
  for (const event of events) if (!firsts.has(event.stream)) firsts.set(event.stream, event);
  const found = new Map<string, string>();
  const look = async ({ stream, revision, metadata }: RecordedEvent): Promise<void> => {
    if (revision === 0 || metadata.follows !== undefined || isShared(stream, cluster)) return;
    for await (const [before] of log.readStream(stream, { direction: 'backwards', from: revision - 1, limit: 1 }))
      if (before?.revision === revision - 1) found.set(stream, before.metadata.digest as string);
  };
  await Promise.all([...firsts.values()].map(look));
  return found;
}

/** Whether several writers write to a stream, each in a chain of his own: `verify` knows where that begins. */
function isShared(stream: string, cluster: string): boolean {
  const subject = parseStream(cluster, stream);
  return subject?.kind === 'decision' && (subject.writer === undefined || subject.stream === 'leadership');
}

/** Takes events in the order of the log. */
class TailCheck {
  private readonly revisions = new Map<string, number>();

  constructor(
    private readonly cluster: string,
    private readonly digests: Map<string, string>,
  ) {}

  problemOf(event: RecordedEvent): string | undefined {
    const { stream, revision } = event;
    if (!parseStream(this.cluster, stream)) return undefined;
    const { follows, digest, writer } = event.metadata as StoredMetadata;
    const before = this.revisions.get(stream);
    const predecessor = follows ?? this.digests.get(stream);
    this.revisions.set(stream, revision);
    if (digest !== undefined) this.digests.set(stream, digest);
    if (before !== undefined && revision !== before + 1)
      return `does not follow revision ${before} of its stream: what was between is gone`;
    // What somebody else put there has no digest; `verify` has its say about it.
    const isOurs = digest !== undefined || writer !== undefined || '$base64' in event.metadata || '$base64' in event.data;
    const isKnown = follows !== undefined || revision === 0 || (predecessor !== undefined && !isShared(stream, this.cluster));
    if (isOurs && isKnown && digestOf(event, stream, predecessor) !== digest) return 'does not say what was written: its digest is another';
    return undefined;
  }
}
