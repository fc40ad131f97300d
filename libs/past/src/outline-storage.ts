import type { PastStorage } from './storage';

/** Events of a stretch of the log that ends with a checkpoint, in order: what is left of their ids, and their positions. */
export interface EventPlaces {
  /** `hashOf` each id. */
  hashes: Uint32Array;
  positions: Float64Array;
}

/** Checkpoints of an outline, and where the events before each of them are. */
export interface OutlineStorage extends PastStorage {
  /** Adds the events up to a checkpoint that is committed next. */
  addEvents(checkpoint: number, places: EventPlaces): void;
  /** Positions of the events whose ids have such a hash, a few stretches of the log at a time. */
  find(hash: number): Iterable<readonly number[]>;
}

/** 32 bits of an event's id (FNV-1a). Two ids may have the same: whoever finds a place looks at the event there. */
export function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
