/** Ids of the latest events of a stream that is appended to without an expected revision. */
export class RecentIds {
  private readonly ids = new Map<string, Set<string>>();

  /** Whether the id was there already; remembers it. A retry after a lost answer is at most this many events behind. */
  seenBefore(stream: string, id: string): boolean {
    let known = this.ids.get(stream);
    if (!known) this.ids.set(stream, (known = new Set()));
    if (known.has(id)) return true;
    known.add(id);
    if (known.size > recentIdsMax) known.delete(known.values().next().value as string);
    return false;
  }

  /** As it stands, the oldest ids first. */
  entries(): [stream: string, ids: string[]][] {
    return [...this.ids].map(([stream, ids]) => [stream, [...ids]]);
  }

  restore(entries: readonly [stream: string, ids: string[]][]): void {
    for (const [stream, ids] of entries) this.ids.set(stream, new Set(ids));
  }
}

const recentIdsMax = 2_048;
