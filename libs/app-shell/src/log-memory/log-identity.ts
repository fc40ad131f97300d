import { EventLogError, LogReplacedError, LogUnavailableError, type EventLog, type LogMark } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';

const lookEveryMs = 200;

/** Identifies a log by its first event, and by any other event that somebody remembers. */
export class LogIdentity {
  private first: LogMark | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly cluster: string,
    /** How long an event at the end is waited for, ms. */
    private readonly patienceMs = 0,
  ) {}

  /** The first event of the cluster; undefined while there is none. */
  async origin(): Promise<LogMark | undefined> {
    this.first ??= await this.eventFrom('start');
    return this.first;
  }

  /** @throws LogReplacedError when the log has no such event, or another one in its place */
  async holdTo(mark: LogMark): Promise<void> {
    const until = performance.now() + this.patienceMs;
    let found = await this.at(mark);
    while (!found && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      found = await this.at(mark);
    }
    if (found?.position !== mark.position || found.id !== mark.id) throw new LogReplacedError(mark, found);
  }

  /** Id of the event at a position; undefined: there is none. */
  async idAt(position: number): Promise<string | undefined> {
    const found = await this.at({ position, id: '' });
    return found?.position === position ? found.id : undefined;
  }

  /** The event at the place of the mark, or what comes after it. */
  private async at(mark: LogMark): Promise<LogMark | undefined> {
    try {
      return await this.eventFrom(mark.position);
    } catch (error) {
      // A store that cannot be reached says nothing; one that has no such position says that it is another.
      if (error instanceof LogUnavailableError || !(error instanceof EventLogError)) throw error;
      return undefined;
    }
  }

  private async eventFrom(from: number | 'start'): Promise<LogMark | undefined> {
    for await (const page of this.log.readAll({ from, limit: 1, filter: { streamPrefixes: [clusterPrefix(this.cluster)] } })) {
      const [event] = page;
      if (event) return { position: event.position, id: event.id };
    }
    return undefined;
  }
}
