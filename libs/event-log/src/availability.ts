/** Whether a log can be read and written, as far as is known. */
export type Availability = { available: true } | { available: false; reason: string };

export type AvailabilityListener = (availability: Availability) => void;

/** Longest that a log takes to find out whether it is available, ms. */
export const CHECK_MS_MAX = 1_500;

const AVAILABLE: Availability = { available: true };

/** Gathers what the parts of an adapter meet with; the log is available when none of them is in trouble. */
export class AvailabilityMonitor {
  private readonly troubles = new Map<string, string>();
  private readonly listeners = new Set<AvailabilityListener>();

  get current(): Availability {
    for (const reason of this.troubles.values()) return { available: false, reason };
    return AVAILABLE;
  }

  isWell(part: string): boolean {
    return !this.troubles.has(part);
  }

  trouble(part: string, reason: string): void {
    const before = this.troubles.size;
    this.troubles.set(part, reason);
    if (before === 0) this.tell();
  }

  well(part: string): void {
    if (this.troubles.size === 0 || !this.troubles.delete(part)) return;
    if (this.troubles.size === 0) this.tell();
  }

  /** Calls back when the log goes and when it comes back. Returns how to stop. */
  onChange(listener: AvailabilityListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(): void {
    for (const listener of this.listeners) listener(this.current);
  }
}
