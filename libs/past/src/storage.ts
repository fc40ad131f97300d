import { placeOf, type Append } from '#libs/cluster-state';
import type { JsonObject } from '#libs/kernel';

/** A position of the log at which the objects of the cluster are known without folding what is before it. */
export interface Checkpoint {
  /** Of the last event of an append. */
  position: number;
  /** Cluster time there, ms. */
  time: number;
  /** Id of the event at the position. */
  eventId: string;
}

/** Where an append ends, as a checkpoint names it. */
export function checkpointOf(append: Append): Checkpoint {
  const { id } = append[append.length - 1] as Append[number];
  return { ...placeOf(append), eventId: id };
}

/** Tables that are not of a resource: Events with what is known of them, and what reporters remember of objects. */
export const reportTables = { events: '$events', remembered: '$remembered' } as const;

/** What a key's content is from a checkpoint on: its number in the storage; 0: there is no such object any more. */
export type TableEntry = readonly [key: string, content: number];

/** What changed of a table between two checkpoints; or the table whole. */
export interface TablePart {
  isWhole: boolean;
  entries: readonly TableEntry[];
}

/**
 * Where checkpoints are kept: a cache that may always be deleted. Contents are added first, in small portions, and count for nothing until
 * a checkpoint refers to them. All calls are synchronous and short.
 */
export interface PastStorage {
  last(): Checkpoint | undefined;
  /** The last one at or before a position. */
  upTo(position: number): Checkpoint | undefined;
  /** The last one at or before a cluster time, ms. */
  upToTime(time: number): Checkpoint | undefined;
  /** What makes up a table at a checkpoint: the last time it was written whole, and what changed since, in order. */
  parts(resource: string, checkpoint: number): readonly TablePart[];
  content(number: number): JsonObject;
  /** Contents that are read in a millisecond or two. */
  readonly contentsPerTurn: number;
  /** Many at once, in the order of their numbers as given. */
  contents(numbers: readonly number[]): JsonObject[];
  /** Runs `add`s together; all of them are stored or none. */
  transaction(work: () => void): void;
  /** @returns the number of the content */
  add(content: JsonObject): number;
  /** Adds a checkpoint later than all others, with the tables that have changed since the one before. */
  commit(checkpoint: Checkpoint, tables: ReadonlyMap<string, TablePart>): void;
  /** Lets go of the checkpoints later than a position. */
  dropAfter(position: number): void;
  /** Lets go of the checkpoints before a position, as far as nothing later rests on them. */
  dropBefore(position: number): void;
  close(): void;
}

/** The keys of a table at a checkpoint, with the numbers of their contents. */
export function directoryAt(storage: PastStorage, resource: string, checkpoint: number): Map<string, number> {
  const directory = new Map<string, number>();
  for (const { entries } of storage.parts(resource, checkpoint)) {
    for (const [key, content] of entries) {
      if (content === 0) directory.delete(key);
      else directory.set(key, content);
    }
  }
  return directory;
}
