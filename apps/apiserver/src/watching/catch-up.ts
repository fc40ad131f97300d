import type { VersionedChange } from '#libs/cluster-state';
import { HistoryForgottenError } from '#libs/event-log';
import { internalError, watchVersionExpired } from '#libs/kube-api';
import type { GroupResource } from '#libs/kernel';
import type { StreamSink } from '../http/answer';
import type { ClusterView } from '../serving/cluster-view';
import type { WatchSession } from './watch-session';

/** Changes that are read before the watch is answered: what is found missing by then is a proper refusal. */
const preparedMax = 1_000;

/** Hands on what comes from now on. */
export function listen(view: ClusterView, storage: GroupResource): (session: WatchSession, sink: StreamSink) => void {
  return (session, sink) => {
    const feed = view.feed(storage);
    if (feed) sink.onClosed(feed.listen((changes) => session.take(changes)));
  };
}

/**
 * Brings a watch from a version of the past to the present: from memory where that reaches back so far, otherwise from the log, page by page
 * and no faster than the client takes it. However long the way is, little of it is in memory at a time.
 */
export class CatchUp {
  private readonly prepared: (readonly VersionedChange[])[] = [];
  private pages: AsyncIterator<readonly VersionedChange[]> | undefined;
  private until = 0;

  /** @param after everything up to this version is known to the client */
  constructor(
    private readonly view: ClusterView,
    private readonly storage: GroupResource,
    private after: number,
  ) {}

  /** Reads the beginning. @throws HistoryForgottenError */
  async prepare(): Promise<void> {
    let count = 0;
    while (count < preparedMax && !this.recent()) {
      const page = await this.nextPage();
      if (!page) return;
      this.prepared.push(page);
      count += page.length;
    }
  }

  begin(session: WatchSession, sink: StreamSink): void {
    for (const page of this.prepared.splice(0)) session.take(page);
    session.isBehind = true;
    if (this.isOver(session, sink)) return;
    let isClosed = false;
    sink.onClosed(() => (isClosed = true));
    void this.run(session, sink, () => isClosed).catch((error: unknown) => {
      if (!isClosed) session.fail(refusalOf(error));
    });
  }

  private async run(session: WatchSession, sink: StreamSink, isClosed: () => boolean): Promise<void> {
    while (!this.isOver(session, sink)) {
      await session.whenTaken();
      if (isClosed()) break;
      const page = await this.nextPage();
      if (isClosed()) break;
      if (page) session.take(page);
    }
    await this.pages?.return?.();
  }

  /**
   * Whether the present is reached: memory has all that is left, or nothing is left. It is then handed over and listening begins in the
   * same turn of the event loop, so that no change is missed or sent twice.
   */
  private isOver(session: WatchSession, sink: StreamSink): boolean {
    const recent = this.recent();
    if (!recent) return false;
    session.isBehind = false;
    session.take(recent);
    listen(this.view, this.storage)(session, sink);
    return true;
  }

  /** The rest of the way, as far as it is known without reading. */
  private recent(): readonly VersionedChange[] | undefined {
    if (this.pages) return undefined;
    const feed = this.view.feed(this.storage);
    if (feed) return feed.history.after(this.after);
    return this.after >= this.view.position ? [] : undefined;
  }

  /** The next page of the log; undefined at the end of a stretch, which may be followed by another one. */
  private async nextPage(): Promise<readonly VersionedChange[] | undefined> {
    if (!this.pages) {
      this.until = this.view.position;
      this.pages = this.view.changes(this.storage, this.after, this.until)[Symbol.asyncIterator]();
    }
    const { value, done } = await this.pages.next();
    if (!done) return value;
    this.after = this.until;
    this.pages = undefined;
    return undefined;
  }
}

function refusalOf(error: unknown) {
  if (error instanceof HistoryForgottenError) return watchVersionExpired(String(error.asked), String(error.forgotten));
  return internalError(error instanceof Error ? error.message : String(error));
}
