import { directoryAt, type PastStorage, type TableEntry, type TablePart } from './storage';

/** Changed entries up to which a table is not written whole, however small it is: reading so many more costs little. */
const wholeMin = 256;

/** A table as it is written down: its contents' numbers, and how much was written of it since it was last written whole. */
export class TableDirectory {
  private writtenSinceWhole = 0;

  private constructor(private readonly contents: Map<string, number>) {}

  /** As the last checkpoint of a storage has it. */
  static of(storage: PastStorage, resource: string): TableDirectory {
    return new TableDirectory(directoryAt(storage, resource, storage.last()?.position ?? 0));
  }

  get(key: string): number | undefined {
    return this.contents.get(key);
  }

  /**
   * What changed; or the whole table, once more entries than it has were written since it was last written whole. So reading a table costs
   * about twice its size at most.
   */
  partOf(changes: readonly TableEntry[]): TablePart {
    const { contents } = this;
    const wasEmpty = contents.size === 0;
    for (const [key, content] of changes) {
      if (content === 0) contents.delete(key);
      else contents.set(key, content);
    }
    this.writtenSinceWhole += changes.length;
    const isWhole = wasEmpty || this.writtenSinceWhole > Math.max(wholeMin, contents.size);
    if (!isWhole) return { isWhole, entries: changes };
    this.writtenSinceWhole = 0;
    return { isWhole, entries: [...contents] };
  }
}
