import { countWhile, type JsonObject } from '#libs/kernel';
import { directoryAt, type Checkpoint, type PastStorage, type TablePart } from './storage';

interface PlacedPart extends TablePart {
  position: number;
}

/** Checkpoints of a cluster that lives in memory: contents are the objects themselves, which never change. */
export class MemoryPast implements PastStorage {
  /** Nothing has to be read, and nothing is let go of while somebody reads. */
  readonly contentsPerTurn = Infinity;
  private checkpoints: Checkpoint[] = [];
  private readonly tables = new Map<string, PlacedPart[]>();
  private readonly kept = new Map<number, JsonObject>();
  private lastNumber = 0;
  /** What was added later belongs to a checkpoint that is still to come. */
  private committedNumber = 0;

  last(): Checkpoint | undefined {
    return this.checkpoints[this.checkpoints.length - 1];
  }

  upTo(position: number): Checkpoint | undefined {
    return this.checkpoints[countWhile(this.checkpoints, (each) => each.position <= position) - 1];
  }

  upToTime(time: number): Checkpoint | undefined {
    return this.checkpoints[countWhile(this.checkpoints, (each) => each.time <= time) - 1];
  }

  parts(resource: string, checkpoint: number): readonly TablePart[] {
    const all = this.tables.get(resource) ?? [];
    const until = countWhile(all, ({ position }) => position <= checkpoint);
    let first = until - 1;
    while (first > 0 && !all[first]?.isWhole) first--;
    return all.slice(Math.max(0, first), until);
  }

  content(number: number): JsonObject {
    return this.kept.get(number) as JsonObject;
  }

  contents(numbers: readonly number[]): JsonObject[] {
    return numbers.map((number) => this.content(number));
  }

  transaction(work: () => void): void {
    work();
  }

  add(content: JsonObject): number {
    this.kept.set(++this.lastNumber, content);
    return this.lastNumber;
  }

  commit(checkpoint: Checkpoint, tables: ReadonlyMap<string, TablePart>): void {
    this.checkpoints.push(checkpoint);
    this.committedNumber = this.lastNumber;
    for (const [resource, part] of tables) {
      const parts = this.tables.get(resource);
      const placed = { ...part, position: checkpoint.position };
      if (parts) parts.push(placed);
      else this.tables.set(resource, [placed]);
    }
  }

  dropAfter(position: number): void {
    this.checkpoints = this.checkpoints.filter((each) => each.position <= position);
    for (const [resource, parts] of this.tables)
      this.tables.set(
        resource,
        parts.filter((part) => part.position <= position),
      );
  }

  /** Each table is written whole at the first checkpoint that stays, and what nothing refers to any more goes. */
  dropBefore(position: number): void {
    const first = this.checkpoints[countWhile(this.checkpoints, (each) => each.position < position)];
    this.checkpoints = first ? this.checkpoints.filter((each) => each.position >= first.position) : [];
    const used = new Set<number>();
    for (const [resource, parts] of this.tables) {
      const kept = first ? parts.filter((part) => part.position > first.position) : [];
      if (first) kept.unshift({ position: first.position, isWhole: true, entries: [...directoryAt(this, resource, first.position)] });
      this.tables.set(resource, kept);
      for (const { entries } of kept) for (const [, content] of entries) used.add(content);
    }
    for (const number of this.kept.keys()) if (number <= this.committedNumber && !used.has(number)) this.kept.delete(number);
  }

  close(): void {
    this.checkpoints = [];
    this.tables.clear();
    this.kept.clear();
  }
}
