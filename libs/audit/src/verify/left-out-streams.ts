import type { RecordedEvent } from '#libs/event-log';

/** What each process does not read, as the records of the starts say. Fed with the first reading. */
export class LeftOutStreams {
  private readonly byWriter = new Map<string, readonly string[]>();
  /** Each list there is, once; processes of one app have the same. */
  private readonly lists = new Map<string, readonly string[]>();

  /** @param event as EventReader gives it */
  add({ type, data, metadata }: RecordedEvent): void {
    if (type !== 'ProcessStarted' || !Array.isArray(data.leavesOut)) return;
    const key = JSON.stringify(data.leavesOut);
    if (!this.lists.has(key)) this.lists.set(key, data.leavesOut as string[]);
    this.byWriter.set(metadata.writer as string, this.lists.get(key) as readonly string[]);
  }

  /** Prefixes of streams; undefined: the process reads them all, or does not say. */
  of(writer: string): readonly string[] | undefined {
    return this.byWriter.get(writer);
  }

  all(): Iterable<readonly string[]> {
    return this.lists.values();
  }
}
