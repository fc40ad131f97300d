import type { Position } from '../port';
import type { EngineHistory } from '../store/log-engine';
import type { StoredEvent } from '../store/stored-event';

/** How much more than the bound may gather before the oldest are let go of, as a part of the bound: each time costs a copy of a list. */
const slack = 1 / 16;

interface AppendSize {
  events: number;
  bytes: number;
}

/** Which of the oldest appends a memory log lets go of, and when. */
export class MemoryHistory<P> implements EngineHistory<P> {
  forgotten: Position = 0;
  private sizes: AppendSize[] = [];
  private bytes = 0;
  private readonly listeners: ((events: readonly StoredEvent<P>[]) => void)[] = [];

  constructor(
    private readonly bytesMax: number,
    private readonly forget: (events: number) => readonly StoredEvent<P>[],
  ) {}

  add(events: number, bytes: number): void {
    this.sizes.push({ events, bytes });
    this.bytes += bytes;
  }

  onForget(listener: (events: readonly StoredEvent<P>[]) => void): void {
    this.listeners.push(listener);
  }

  trim(): void {
    if (this.bytes <= this.bytesMax * (1 + slack)) return;
    let events = 0;
    let appends = 0;
    while (this.bytes > this.bytesMax) {
      const oldest = this.sizes[appends] as AppendSize;
      this.bytes -= oldest.bytes;
      events += oldest.events;
      appends++;
    }
    this.sizes = this.sizes.slice(appends);
    const gone = this.forget(events);
    this.forgotten = gone[gone.length - 1]?.position ?? this.forgotten;
    for (const listener of this.listeners) listener(gone);
  }
}
