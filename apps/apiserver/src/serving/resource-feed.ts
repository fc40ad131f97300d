import { ChangeHistory, type VersionedChange } from '#libs/cluster-state';
import type { GroupResource } from '#libs/kernel';

export type FeedListener = (changes: readonly VersionedChange[]) => void;

/** The changes of one resource as they come: kept for those who resume, handed at once to those who listen. */
export class ResourceFeed {
  readonly history: ChangeHistory;
  private readonly listeners = new Set<FeedListener>();
  private fresh: VersionedChange[] = [];

  constructor(resource: GroupResource, since: number, changesMax?: number) {
    this.history = new ChangeHistory(resource, since, changesMax);
  }

  push(change: VersionedChange): void {
    this.history.push(change);
    if (this.listeners.size > 0) this.fresh.push(change);
  }

  /** Hands over what has come since the last time. */
  flush(): void {
    if (this.fresh.length === 0) return;
    const changes = this.fresh;
    this.fresh = [];
    for (const listener of this.listeners) listener(changes);
  }

  listen(listener: FeedListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
