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
}

/**
 * A log that lives as long as the process. An append is done when the call returns; subscribers are called in microtasks,
 * in the order of subscription, with the very objects that were appended to; nothing depends on timers. The same calls
 * give the same log.
 */
export function createMemoryLog(options: MemoryLogOptions = {}): EventLog {
  const appendBytesMax = options.appendBytesMax ?? APPEND_BYTES_MAX;
  const engine = new MemoryEngine<JsonObject>((events) => appendBytes(events, appendBytesMax));
  const store = new EventStore(engine, { codec: jsonCodec, now: options.now ?? Date.now, commit: 'immediate', appendBytesMax });
  return new JsonLog(store, { yields: false });
}
