import { ChangeHistory, type VersionedChange } from '#libs/cluster-state';
import type { GroupResource } from '#libs/kernel';

export type FeedListener = (changes: readonly VersionedChange[]) => void;
/** When changes are handed over: calls back once, now or soon. */
export type HandingOver = (handOver: () => void) => void;

/** Changes that wait to be handed over together, at most. */
const freshMax = 1_000;

/** The changes of one resource as they come: kept for those who resume, handed to those who listen, those of a moment together. */
export class ResourceFeed {
  readonly history: ChangeHistory;
  private readonly listeners = new Set<FeedListener>();
  private fresh: VersionedChange[] = [];
  private isDue = false;

  constructor(
    resource: GroupResource,
    since: number,
    changesMax?: number,
    private readonly handingOver: HandingOver = (handOver) => handOver(),
  ) {
    this.history = new ChangeHistory(resource, since, changesMax);
  }

  push(change: VersionedChange): void {
    this.history.push(change);
    if (this.listeners.size > 0) this.fresh.push(change);
  }

  /** What has come since the last time may be handed over. */
  flush(): void {
    if (this.fresh.length >= freshMax) return this.handOver();
    if (this.fresh.length === 0 || this.isDue) return;
    this.isDue = true;
    this.handingOver(() => {
      this.isDue = false;
      this.handOver();
    });
  }

  /** Hands over now: whoever is told next where the feed stands knows of everything before. */
  handOver(): void {
    if (this.fresh.length === 0) return;
    const changes = this.fresh;
    this.fresh = [];
    for (const listener of this.listeners) listener(changes);
  }

  /** The listener hears of what comes from now on, not of what others have yet to be told. */
  listen(listener: FeedListener): () => void {
    this.handOver();
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
