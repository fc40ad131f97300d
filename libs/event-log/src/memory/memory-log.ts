import type { JsonObject } from '#libs/kernel';
import type { EventLog } from '../port';
import { APPEND_BYTES_MAX, EventStore } from '../store/event-store';
import { jsonCodec, JsonLog } from '../store/json-log';
import { appendBytes } from './json-size';
import { MemoryEngine } from './memory-engine';

export interface MemoryLogOptions {
  /** Time for `created`, ms since the epoch. */
  now?: () => number;
  appendBytesMax?: number;
  /**
   * For a process that serves others: appends of one turn of the event loop are committed together at its end, and history is read page by
   * page with turns between. Without it a cascade of decisions runs to its end in microtasks, and nobody is answered before.
   */
  live?: boolean;
  /** Let go of the oldest appends beyond this many bytes (of JSON, about); absent: every event is kept. */
  historyBytesMax?: number;
}

/**
 * A log that lives as long as the process. Unless it is `live`, an append is done when the call returns; subscribers are called in
 * microtasks, in the order of subscription, with the very objects that were appended to; nothing depends on timers. The same calls
 * give the same log.
 */
export function createMemoryLog(options: MemoryLogOptions = {}): EventLog {
  const appendBytesMax = options.appendBytesMax ?? APPEND_BYTES_MAX;
  const { live = false, now = Date.now, historyBytesMax } = options;
  const engine = new MemoryEngine<JsonObject>((events) => appendBytes(events, appendBytesMax), historyBytesMax);
  const store = new EventStore(engine, { codec: jsonCodec, now, commit: live ? 'grouped' : 'immediate', appendBytesMax });
  return new JsonLog(store, { yields: live });
}
