import type { KubeObject } from '#libs/kernel';
import type { ClusterEvent } from '../framework/events';

export interface RecordedEvent {
  readonly event: ClusterEvent;
  readonly old: KubeObject | undefined;
  readonly updated: KubeObject | undefined;
}

/**
 * What happens while pods are being attempted. A pod that is refused is looked at against everything that happened since it was
 * popped, so no event is missed between snapshot and requeue.
 */
export class InFlightEvents {
  private events: RecordedEvent[] = [];
  /** How many events were dropped from the front. */
  private dropped = 0;
  /** By uid: the number of events recorded before the pod was popped. In order of popping. */
  private readonly starts = new Map<string, number>();

  get podCount(): number {
    return this.starts.size;
  }

  has(uid: string): boolean {
    return this.starts.has(uid);
  }

  begin(uid: string): void {
    this.starts.set(uid, this.dropped + this.events.length);
  }

  record(event: RecordedEvent): void {
    if (this.starts.size > 0) this.events.push(event);
  }

  since(uid: string): readonly RecordedEvent[] {
    const start = this.starts.get(uid);
    return start === undefined ? [] : this.events.slice(start - this.dropped);
  }

  /** Events that no pod in flight needs any more are let go. */
  done(uid: string): void {
    if (!this.starts.delete(uid)) return;
    const oldest = this.starts.values().next();
    const needed = oldest.done ? this.dropped + this.events.length : oldest.value;
    const unneeded = needed - this.dropped;
    // In bulk: with many pods in flight, the list is not copied for each.
    if (unneeded === 0 || 2 * unneeded < this.events.length) return;
    this.events = this.events.slice(unneeded);
    this.dropped = needed;
  }
}
